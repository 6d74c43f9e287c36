# Everything a reader of the README types. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# `checked` is release with assertions and overflow checks: the simulations in the tests want speed,
# and one profile for lints, tests and tools builds each dependency once.
PROFILE ?= checked
CARGO := cargo
RELEASE := target/release/farpath
CHECKED := target/$(PROFILE)/farpath
# With the features that the tests have: a package built by itself has others, and its dependencies are compiled anew.
BINS = $(CARGO) build --quiet --locked --profile $(PROFILE) --workspace --bins
XTASK = $(BINS) && target/$(PROFILE)/xtask
DRAW := node web/dist-gallery/gallery.js
LOGS := target/logs
WEB_SOURCES := $(shell find web/src -type f 2>/dev/null) $(wildcard web/*.ts web/*.html)

export CARGO_TERM_COLOR ?= never

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: demo
demo: build ## fold a 116 ms link into a 581 ms path, predicted beside simulated
	@rm -rf target/demo
	@status=0; $(RELEASE) run cern-snaky/five-passes --out target/demo || status=$$?; \
	if [ -e target/demo/report.html ]; then echo "The page: file://$(CURDIR)/target/demo/report.html"; fi; \
	exit $$status

.PHONY: build
build: linker web/dist/report.js ## the binary, release build, with its pages inside
	$(CARGO) build --release --locked --package farpath

# Random inputs are fresh in every run, and the same again with the seed that was printed.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
export PROPTEST_RNG_SEED = $(SEED)
export PROPTEST_DISABLE_FAILURE_PERSISTENCE = 1

.PHONY: test
test: lint web-test rust-test generated same page-test ## what is checked of every change; test-long is the rest
	$(SUMMARY)

# The same tests and those that take long, with more of what is random: mutations a parser, cases a property (256 are as many as
# in `make test`); every scenario and every page.
.PHONY: test-long
test-long: export FARPATH_MUTATIONS = 1000000
test-long: export PROPTEST_CASES = 2560
test-long: export FARPATH_LONG = 1
test-long: export FARPATH_ARRANGED = all
test-long: lint web-test rust-test generated same pages page-test ## everything that is checked, hours of it: before a release, or at night
	$(SUMMARY)

define SUMMARY
	@echo
	@grep -hE '^ *(Test Files|Tests) ' $(LOGS)/web.txt || true
	@grep -E '^test result: ' $(LOGS)/rust.txt
	@awk '/^test result: /{p+=$$4; f+=$$6; i+=$$8} END {printf "total: %d passed; %d failed; %d ignored\n", p, f, i}' $(LOGS)/rust.txt
endef

.PHONY: lint
lint: linker web/dist/report.js ## formatting, clippy with warnings as errors, the repository's own rules
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked --profile $(PROFILE) -- -D warnings
	$(XTASK) tidy

# Examples are built by clippy alone: nothing runs them here.
TEST = $(CARGO) test --workspace --locked --no-fail-fast --profile $(PROFILE)
.PHONY: rust-test
rust-test: linker oracles web/dist/report.js ## the Rust tests; SEED=N repeats the random inputs of a run
	@mkdir -p $(LOGS)
	@echo "random inputs: SEED=$(SEED)"
	@{ $(TEST) --tests && $(TEST) --doc; } 2>&1 | tee $(LOGS)/rust.txt || \
		{ echo "the same random inputs again: make rust-test SEED=$(SEED)"; exit 1; }

.PHONY: web-test
web-test: web/node_modules/.package-lock.json ## types and tests of the pages' scripts
	@mkdir -p $(LOGS)
	cd web && npm run check
	cd web && CI=true NO_COLOR=1 npm test 2>&1 | tee ../$(LOGS)/web.txt

.PHONY: generated
generated: linker ## the pages under docs/reference are those the sources give
	$(XTASK) gen --check

# Four fifths of the time of all. What stands for them among the others: capacity-hundredth, atlas-window-tenth,
# geneva-chicago-1500-scaled and recovery-live.
LONG := cern-snaky/capacity wan-2003/atlas-window wan-2003/geneva-chicago-1500 wan-2003/recovery-10g wan-2003/recovery-1g
SHIPPED := $(patsubst scenarios/%.toml,%,$(sort $(wildcard scenarios/*/*.toml)))
SHORT := $(filter-out $(LONG),$(SHIPPED))
RUNS = $(LONG) $(SHORT)
test page-test: RUNS = $(SHORT)

.PHONY: scenarios
scenarios: linker web/dist/report.js ## run every shipped scenario; a failed expectation fails
	$(BINS)
	@rm -rf target/scenarios
	@printf '%s\n' $(RUNS) | xargs -P "$$(nproc)" -I{} .ci/scenario $(CHECKED) scenarios/{}.toml

.PHONY: same
same: scenarios ## every shipped scenario gives what xtask/same.txt says, to the bit
	$(XTASK) same

.PHONY: pages
pages: scenarios oracles ## open the page of every scenario in a browser
	@find target/scenarios -name report.html | sort | sed 's/$$/ --svg 1 --section path/' | xargs node web/scripts/smoke.mjs

# One page of each kind, in full.
.PHONY: page-test
page-test: scenarios oracles ## use some pages of real runs in Chromium
	@for run in lossy sweeps/one-key sweeps/two-keys sweeps/three-keys sweeps/categories sweeps/gaps sweeps/together sweeps/pairs; do \
		$(CHECKED) run web/fixtures/$$run.toml --out target/page-test/$${run##*/} >/dev/null || exit; \
	done
	@$(CHECKED) run web/fixtures/repeats.toml --repeat 8 --out target/page-test/repeats >/dev/null
	@$(CHECKED) run web/fixtures/sweeps/one-key.toml --set test.bulk.cc=reno --out target/page-test/reno >/dev/null
	@$(CHECKED) compare target/page-test/one-key target/page-test/reno --out target/page-test/compared >/dev/null
	@$(CHECKED) run web/fixtures/captured.toml --out target/page-test/captured >/dev/null
	@$(CHECKED) trace target/page-test/captured/far.pcapng --out target/page-test/captured >/dev/null
	@cd target/scenarios && node ../../web/scripts/smoke.mjs \
		../page-test/captured/trace.html --canvas 4 --section sequence --section time --section glitches --trace \
		cern-snaky/five-passes/report.html --svg 5 --canvas 8 --section path --section time --section links --section limits --trace \
		cern-snaky/five-passes-one-loss/report.html --svg 2 --canvas 6 --trace \
		cern-snaky/window-sweep/report.html --svg 9 --canvas 6 --section sweep --trace \
		cern-snaky/capacity-hundredth/report.html --svg 1 --section path \
		infn-lbe/tenth/report.html --svg 1 --section path \
		slac-binp/day-and-night/report.html --svg 1 --section path \
		wan-2003/recovery-live/report.html --svg 1 --section path --section witnesses \
		../page-test/lossy/report.html --svg 9 --canvas 6 --trace \
		../page-test/repeats/report.html --section repeats --repeats 8 \
		../page-test/one-key/report.html --figures 2 \
			--figure 'bulk: goodput' panels=1,curves=2,gaps=0,legend=4,stated=1,covered=0,log=yx \
		../page-test/compared/report.html --section sweep --section compared --figure 'bulk: goodput' panels=1,curves=4,gaps=0,log=yx \
		../page-test/two-keys/report.html --figure 'bulk: goodput' panels=1,curves=8,gaps=0,legend=6,log=yx \
		../page-test/three-keys/report.html --figure 'bulk: goodput' panels=3,curves=18,gaps=0,legend=5,log=x \
			--figure 'bulk: recovery' panels=3,bars=0,gaps=1 \
		../page-test/categories/report.html --figure 'f1: goodput' panels=1,bars=18,curves=0,legend=5,missing=0 \
			--figure 'group pair: fairness' bars=9,legend=4 \
		../page-test/together/report.html --figure 'bulk: goodput' panels=1,curves=4,gaps=0,legend=6,stated=2,covered=0 \
		../page-test/pairs/report.html --figure 'near: goodput against trunk.queue, by near.cc / far.cc' panels=1,curves=6,gaps=0,legend=5 \
			--figure 'group pair: fairness' panels=1,curves=3,legend=4 \
		../page-test/gaps/report.html --figure 'bulk: recovery' panels=1,bars=0,curves=5,gaps=0,legend=5,log=yx

.PHONY: bench
bench: linker ## measure what the speed claims say; writes target/bench.json
	$(CARGO) xtask bench

.PHONY: corpus-check
corpus-check: linker ## what `trace` says of captures of others beside their tables; CAPTURES=DIR has the captures
	@test -n "$(CAPTURES)" || { echo "make corpus-check CAPTURES=DIR: the folder with the captures that crates/trace/tests/data knows"; exit 2; }
	$(XTASK) captures $(CAPTURES)

.PHONY: lab-bench
lab-bench: build ## the lab beside plain veth, and how late it is; root, an idle machine, ten minutes
	@.ci/need iperf3 'iproute2=command -v ip' python3
	python3 benches/lab/run.py $(RELEASE)

.PHONY: lab-scenarios
lab-scenarios: build ## the shared scenarios with real kernels, and the page of errors; root, an idle machine, half an hour
	@.ci/need 'iproute2=command -v ip' python3 clang bpftool
	python3 benches/lab/scenarios.py $(RELEASE)

.PHONY: bench-ns3
bench-ns3: ## the same dumbbell on ns-3, for the ratio; writes target/ns3/bench.json
	@.ci/need g++ python3 'python3-venv=python3 -c "import ensurepip"'
	@mkdir -p target/ns3
	@# Moved when it is whole: `make bench` reads it.
	python3 benches/ns3/run.py > target/ns3/bench.part
	@mv target/ns3/bench.part target/ns3/bench.json
	@cat target/ns3/bench.json

# packetdrill is in no Debian: without PACKETDRILL the target says that it played nothing.
.PHONY: lab-drill
lab-drill: ## our packetdrill scripts on this machine's kernel; PACKETDRILL=PATH names the program; root, an idle machine, a minute
	@.ci/need 'iproute2=command -v ip' 'procps=command -v sysctl'
	@.ci/packetdrill "$(PACKETDRILL)" $(wildcard crates/drill/scripts/*.pkt crates/drill/scripts/kernel-6.18/*.pkt)

.PHONY: lab-test
lab-test: linker lab-drill lab-scenarios ## models beside this machine's kernel, in real time; root and an idle machine
	@.ci/need clang bpftool 'iproute2=command -v ip' 'nftables=command -v nft' 'util-linux=command -v chrt'
	$(CARGO) test --locked --profile $(PROFILE) --package farpath-emu --test bpf-law

.PHONY: gallery
gallery: build ## redraw the figures of docs/gallery from fresh runs
	cd web && npm run build:gallery
	@for run in cern-snaky/five-passes wan-2003/atlas-window wan-2003/geneva-chicago-1500 wan-2003/geneva-chicago-9000 \
		'wan-2003/recovery-1g --intervals 6000' wan-2003/recovery-10g lbnl-oc12/slow-start lbnl-oc12/sack lbnl-oc12/no-sack \
		infn-lbe/test1 infn-lbe/test3 lbnl-oc12/bad-card; do \
		name=$${run##*/}; echo "farpath run $$run"; \
		$(RELEASE) run $$run --out target/gallery/$${name%% *} >/dev/null; \
	done
	$(DRAW) tunnel target/gallery/five-passes/report.json docs/gallery/tunnel.svg
	$(DRAW) load target/gallery/five-passes/report.json docs/gallery/load.svg
	$(DRAW) window target/gallery/atlas-window/report.json docs/gallery/window.svg
	$(DRAW) recovery target/gallery/recovery-1g/report.json docs/gallery/recovery-1g.svg
	$(DRAW) recovery target/gallery/recovery-10g/report.json docs/gallery/recovery-10g.svg
	$(DRAW) sawtooth target/gallery/geneva-chicago-1500/report.json target/gallery/geneva-chicago-9000/report.json docs/gallery/sawtooth.svg
	$(DRAW) slow-start target/gallery/slow-start/report.json docs/gallery/slow-start.svg
	$(DRAW) trace target/gallery/sack/report.json docs/gallery/trace.svg
	$(DRAW) close-up target/gallery/no-sack/report.json docs/gallery/no-sack.svg
	$(DRAW) holes target/gallery/no-sack/report.json docs/gallery/no-sack-close-up.svg
	$(DRAW) holes target/gallery/sack/report.json docs/gallery/sack-close-up.svg
	$(DRAW) testbed target/gallery/test1/report.json docs/gallery/lbe-topology.svg
	$(DRAW) lower-effort target/gallery/test3/report.json docs/gallery/lbe-loss.svg
	$(DRAW) segments target/gallery/bad-card/report.json docs/gallery/oc12-map.svg
	$(RELEASE) predict overhead --stack oc12c/atm/aal5-llc/ip/tcp --mtu 9180 --json >target/gallery/ladder.json
	$(RELEASE) predict overhead --stack oc12c-fixed-stuff-forgotten/atm/aal5-llc/ip/tcp --mtu 9180 --json >target/gallery/printed.json
	$(DRAW) ladder target/gallery/ladder.json target/gallery/printed.json docs/gallery/oc12-ladder.svg

.PHONY: images
images: build oracles ## take the README's picture of a page again
	$(RELEASE) run cern-snaky/five-passes --out target/gallery/five-passes >/dev/null
	node web/scripts/picture.mjs target/gallery/five-passes/report.html docs/images/five-passes.png figure.load

# One algorithm after the other, and no longer than each takes to come back: Reno would need 100 s and has 60. A failed expectation
# or certificate stands in the picture and stops nothing.
.PHONY: witnesses
witnesses: build ## the README's first picture: one loss by formula, model and kernel; root, an idle machine, four minutes
	cd web && npm run build:gallery
	@for run in scalable:25 highspeed:25 htcp:25 cubic:60 reno:60; do \
		cc=$${run%:*}; echo "farpath run wan-2003/recovery-live --emulate --set test.bulk.cc=$$cc"; \
		$(RELEASE) run wan-2003/recovery-live --emulate --set test.bulk.cc=$$cc --set test.bulk.duration=$${run#*:}s \
			--out target/gallery/witness-$$cc >/dev/null || { code=$$?; [ $$code -eq 1 ] || [ $$code -eq 4 ]; }; \
	done
	$(DRAW) witnesses $(foreach cc,scalable highspeed htcp cubic reno,target/gallery/witness-$(cc)/report.json) docs/images/witnesses.svg

.PHONY: generate
generate: linker ## rewrite the generated pages under docs/reference
	$(XTASK) gen

.PHONY: clean
clean: ## remove everything that is built or fetched
	rm -rf target web/dist web/dist-gallery web/node_modules

# What the system must have. Nothing is asked and nothing is done when it is there.

.PHONY: linker
linker:
	@.ci/need 'gcc=command -v cc' 'libc6-dev=test -e /usr/include/stdlib.h'

.PHONY: oracles
oracles:
	@.ci/need tshark tcptrace chromium clang bpftool iperf3 traceroute 'mtr-tiny=command -v mtr' 'iputils-ping=command -v ping' 'iproute2=command -v ip' 'nftables=command -v nft' \
		podman crun 'busybox-static=test -e /bin/busybox' $(if $(FARPATH_LONG),debootstrap)

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web/dist/report.js: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run build
	@touch $@
