"""Runs shared scenarios with real kernels and lays them beside prediction and simulation.

Needs root, iproute2 and an idle machine; benches/lab/scenarios.toml says what is run. A run whose certificate is
invalid is made again: three tries for each valid run that is wanted. Each document is kept in target/lab-scenarios, and
the page of errors is written from all of them: docs/models/emulation-errors.md.
usage: scenarios.py FARPATH [--page] [--missing] [--runs N] [NAME...]
  --page runs nothing; --missing runs only what has no document newer than FARPATH, so that a list that was
  interrupted goes on; --runs 3 judges medians of three valid runs. Names are parts of a scenario's name.
Exit: 0 ok, 1 an expectation failed or an error is not explained, 4 a certificate is invalid, else the run's own.
"""

import fnmatch
import glob
import json
import os
import platform
import statistics
import subprocess
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = "target/lab-scenarios"
# A machine that was late is asked again: the certificate knows nothing of what came out.
ATTEMPTS = 3
PAGE = "docs/models/emulation-errors.md"

# What is compared of each kind of test, and what an error may be without a word about it: a share of the
# simulated figure, or a difference in the metric's own unit.
COMPARED = {
    "ping": [("rtt_p50_ns", None, 0.5e6), ("loss_ratio", None, 0.03)],
    "tcp": [("goodput_bps", 0.02, None), ("retransmits", 0.0, None), ("recovery_s", 0.05, None)],
    "udp": [("goodput_bps", 0.02, None), ("loss_ratio", None, 0.03)],
    "transfer": [("goodput_bps", 0.02, None)],
    "request": [("goodput_bps", 0.02, None)],
}
UNITS = {"_bps": (1e6, "Mbit/s"), "_ns": (1e6, "ms"), "_s": (1, "s"), "_ratio": (0.01, "%")}


def plan():
    """The list of runs; every shipped scenario is in it, run or left out."""
    with open(os.path.join(HERE, "scenarios.toml"), "rb") as file:
        runs = tomllib.load(file)["run"]
    named = {s for run in runs for s in run.get("scenarios", [run.get("scenario")])}
    shipped = {p.removeprefix("scenarios/").removesuffix(".toml") for p in glob.glob("scenarios/*/*.toml")}
    if named != shipped:
        sys.exit(f"scenarios.toml and scenarios/ differ: {sorted(named ^ shipped)}")
    return runs


def kept(run):
    return os.path.join(OUT, run.get("name", run["scenario"]).replace("/", "-") + ".json")


def emulate(farpath, run):
    """The run's exit code and its document."""
    flags = [f for s in run.get("set", []) for f in ("--set", s)]
    flags += [f for t in run.get("only", []) for f in ("--only", t)]
    flags += ["--tune-host"] if run.get("tune_host") else []
    scenario = f"scenarios/{run['scenario']}.toml"
    command = [farpath, "run", scenario, "--emulate", "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 4):
        sys.stderr.write(done.stderr)
        return done.returncode, None
    document = json.loads(done.stdout)
    for record in document["records"]:
        record.pop("series", None)
    for link in document["links"]:
        link["t_ns"], link["rate_bps"] = [], []
    return done.returncode, document


def repeat(farpath, run, wanted):
    """The exit code of several valid runs together, or of the last where none is valid; their median is kept."""
    valid, last = [], None
    for _ in range(ATTEMPTS * wanted):
        code, document = emulate(farpath, run)
        print(f'{run.get("name", run["scenario"])}: exit {code}', flush=True)
        if document is None:
            return code
        last = (code, document)
        if code != 4:
            valid.append(document)
        if len(valid) == wanted:
            break
    document = median(valid) if valid else last[1]
    with open(kept(run), "w", encoding="utf-8") as file:
        json.dump(document, file)
    return int(any(failed(document))) if valid else last[0]


def median(documents):
    """The first of documents of one scenario, with the medians of what was emulated in all."""
    first = documents[0]
    for number, record in enumerate(first["records"]):
        others = [d["records"][number]["metrics"] for d in documents]
        for name in record["metrics"] if record["origin"] == "emulated" else []:
            record["metrics"][name] = statistics.median(m[name] for m in others if name in m)
    for number, expect in enumerate(first["expectations"]):
        found = [d["expectations"][number].get("actual") for d in documents]
        if expect["origin"] != "emulated" or None in found:
            continue
        expect["actual"] = statistics.median(found)
        least, most = expect.get("min"), expect.get("max")
        expect["pass"] = (least is None or expect["actual"] >= least) and (most is None or expect["actual"] <= most)
    first["runs"] = len(documents)
    return first


def certificate(document):
    """Of a document; the worst of its points."""
    found = [r["certificate"] for r in document["records"] if r["origin"] == "emulated"]
    bad = [c for c in found if not c["valid"]]
    return bad[0] if bad else max(found, key=lambda c: c["lateness_p99_ns"], default=None)


def of(document, origin, record):
    """The record of the same test at the same point."""
    for other in document["records"]:
        if other["origin"] == origin and all(other[k] == record[k] for k in ("test", "point")):
            return other["metrics"]
    return {}


def rows(document):
    """Of each emulated figure: point, name, the three values, error as share and difference, whether it is large."""
    for record in document["records"]:
        if record["origin"] != "emulated":
            continue
        predicted, simulated = (of(document, o, record) for o in ("predicted", "simulated"))
        for name, share, most in COMPARED.get(record["kind"], []):
            values = [m.get(name) for m in (predicted, simulated, record["metrics"])]
            emulated, beside = values[2], values[1]
            if emulated is None or beside is None:
                continue
            quiet = name in ("retransmits", "loss_ratio") and not emulated and not beside
            if quiet:
                continue
            error = emulated - beside
            large = abs(error) > (most if share is None else share * abs(beside))
            yield record["point"], f'{record["test"]}.{name}', values, error, large


def figure(name, value):
    if value is None:
        return ""
    for end, (unit, word) in UNITS.items():
        if name.endswith(end):
            return f"{value / unit:.4g} {word}" if word == "%" else f"{value / unit:.5g} {word}"
    return f"{value:g}"


def deviation(name, values, error):
    if name.endswith("_ratio"):
        return f"{error * 100:+.2f} points"
    if name.endswith("_ns"):
        return f"{error / 1e6:+.3f} ms"
    if not values[1]:
        return f"{error:+g}"
    return f"{error / values[1] * 100:+.2f} %"


def explanation(run, point, name):
    for said in run.get("explained", []):
        here = any(fnmatch.fnmatchcase(name, pattern) for pattern in said["metrics"])
        if here and said.get("at", {}).items() <= point.items():
            return " ".join(said["text"].split())
    return None


def lines(run, document, unexplained):
    """The table rows of a run."""
    before = None
    wrong = {e["metric"] for e in document["expectations"] if e["origin"] == "emulated" and not e["pass"]}
    for point, name, values, error, large in rows(document):
        # A figure within its bounds, but below a failed expectation, is explained as well.
        said = explanation(run, point, name) if large or name in wrong else None
        if large and said is None:
            unexplained.append(f'{run["scenario"]}: {name} {point} {deviation(name, values, error)}')
        at = "".join(f", {v}" for v in point.values())
        cells = [f"{name}{at}", *(figure(name, v) for v in values), deviation(name, values, error)]
        why = "the same" if said and said == before else said or ""
        before = said
        yield f'| {" | ".join(cells)} | {why} |'


def failed(document):
    """Expectations on what was emulated that do not hold."""
    for expect in document["expectations"]:
        if expect["origin"] == "emulated" and not expect["pass"]:
            band = f'{expect.get("min")} to {expect.get("max")}'
            yield f'{expect["metric"]} {expect["point"]}: {expect["actual"]}, band {band}'


PREFACE = """# Simulated beside emulated

Written by `make lab-scenarios` from `benches/lab/scenarios.toml`; do not edit. Every shared scenario that a real
kernel can run was run with hosts in namespaces on {machine}. The error is that of the emulated figure beside the
simulated one. Whatever differs by more than 2 % in a rate, 3 points in a loss, 0.5 ms in a round trip or 5 % in a
recovery is explained; so is every retransmission that is not in both. [Emulation](emulation.md) says what a
certificate is; an invalid one says that the machine was late, and its table what came of it all the same. Where a run was
scaled, the line above its table says how; all are shorter where time adds nothing, as the list of runs has it.
"""


def written():
    """The sections of the page as it is, by title."""
    if not os.path.exists(PAGE):
        return {}
    with open(PAGE, encoding="utf-8") as file:
        sections = file.read().split("\n## ")[1:]
    return {s.partition("\n")[0]: f"## {s.rstrip()}\n" for s in sections}


def page(runs):
    """Writes the page of everything that has been run, and leaves the rest as it is; what is large and not explained."""
    unexplained = []
    before = written()
    machine = f"{os.cpu_count()} processors, Linux {platform.release().split('-')[0]}"
    text = [PREFACE.format(machine=machine)]
    for run in runs:
        if "left_out" in run:
            text.append(f'## {", ".join(run["scenarios"])}\n\nNot emulated: {run["left_out"]}\n')
            continue
        title = run.get("title", run["scenario"])
        if not os.path.exists(kept(run)):
            text.append(before.get(title, ""))
            continue
        with open(kept(run), encoding="utf-8") as file:
            document = json.load(file)
        held = certificate(document)
        word = "valid" if held["valid"] else "**invalid**"
        p50, p99 = (held[f"lateness_{p}_ns"] / 1e6 for p in ("p50", "p99"))
        text.append(f"## {title}\n")
        if "why" in run:
            text.append(f'{run["why"]}\n')
        several = f' Median of {document["runs"]} valid runs.' if document.get("runs", 1) > 1 else ""
        text.append(f'Certificate {word}: {held["frames"]} frames, lateness p50 {p50:.3f} ms, p99 {p99:.3f} ms.{several}')
        for wrong in failed(document):
            text.append(f"**Expectation fails**: {wrong}.")
        text.append("\n| figure | predicted | simulated | emulated | error | why |\n|---|---|---|---|---|---|")
        text.extend(lines(run, document, unexplained))
        text.append("")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(text).rstrip() + "\n")
    return unexplained


def main():
    arguments = [a for a in sys.argv[1:] if a not in ("--page", "--missing")]
    wanted = 1
    if "--runs" in arguments:
        at = arguments.index("--runs")
        wanted = int(arguments[at + 1])
        del arguments[at : at + 2]
    farpath, names = arguments[0], arguments[1:]
    os.makedirs(OUT, exist_ok=True)
    runs = plan()
    worst = 0
    for run in [] if "--page" in sys.argv else runs:
        if "left_out" in run:
            continue
        name = run.get("name", run["scenario"])
        if names and not any(n in name for n in names):
            continue
        if "--missing" in sys.argv and os.path.exists(kept(run)) and os.path.getmtime(kept(run)) > os.path.getmtime(farpath):
            continue
        code = repeat(farpath, run, wanted)
        if code in (0, 1, 4):
            with open(kept(run), encoding="utf-8") as file:
                for wrong in failed(json.load(file)):
                    print(f"  {wrong}")
        # The run's own precedence, an environment that fails before anything else.
        worst = max(worst, code, key=[0, 1, 4, 2, 3, 130].index)
    unexplained = page(runs)
    for what in unexplained:
        print(f"not explained: {what}")
    sys.exit(worst or bool(unexplained))


main()
