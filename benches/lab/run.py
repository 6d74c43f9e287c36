"""Measures the lab on this machine: throughput beside a plain veth pair, delay, rate, loss, shares, small
frames, loss storms, long paths, and whether it stays as it is for ten minutes.

Needs root, iperf3, iproute2, iputils-ping and an idle machine. Prints a table and writes target/lab-bench.json.
usage: run.py FARPATH [PART ...]    parts: throughput delay rate loss shares small storm long soak
                                    all but `soak`, which takes ten minutes, if none is named
"""

import json
import math
import os
import re
import statistics
import subprocess
import sys

FARPATH = sys.argv[1]
PARTS = sys.argv[2:]
SECONDS = 5
ROUNDS = 3

# Buffers as the kernel has them, as those of the veth pair; long paths need more.
SCENARIO = """
[scenario]
name = "bench"
[[host]]
name = "a"
txqueuelen = 100000
{host}
[[host]]
name = "b"
{host}
[[link]]
name = "wire"
ends = ["a", "b"]
rate = "{rate}"
delay = "{delay}"
mtu = {mtu}
queue = "1bdp"
{link}
"""

LARGE = 'tcp_rmem = "4096 131072 2000000000"\ntcp_wmem = "4096 131072 2000000000"'


def scenario(rate, delay, mtu, host="", link=""):
    return SCENARIO.format(rate=rate, delay=delay, mtu=mtu, host=host, link=link)


BULK = """
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
cc = "cubic"
{more}
omit = "{omit} s"
duration = "{seconds} s"
"""

PING = """
[[test]]
name = "rtt"
kind = "ping"
from = "a"
to = "b"
count = {count}
interval = "10 ms"
"""

UDP = """
[[test]]
name = "{name}"
kind = "udp"
from = "{sender}"
to = "b"
rate = "{rate}"
size = {size}
class = "{mark}"
omit = "{omit} s"
duration = "{seconds} s"
"""


def udp(rate, size, name="load", sender="a", mark="cs0", omit=0):
    return UDP.format(name=name, sender=sender, rate=rate, size=size, mark=mark, omit=omit, seconds=SECONDS)


def run(text, *flags):
    """Both witnesses of a scenario: (records, links) by origin."""
    path = "target/lab-bench.toml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        [FARPATH, "run", path, "--emulate", *flags, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"{done.stderr}\n{text}")
    document = json.loads(done.stdout)
    origins = ("emulated", "simulated")
    return {o: ({r["test"]: r for r in document["records"] if r["origin"] == o},
                [l for l in document.get("links", []) if l["origin"] == o]) for o in origins}


def emulate(text, *flags):
    """The emulated records alone."""
    return run(text, "--predict", *flags)["emulated"][0]


class Pair:
    """Two namespaces and a veth pair between them, gone again afterwards."""

    def __init__(self, mtu):
        self.mtu = mtu
        self.names = [f"fpbench{os.getpid()}{side}" for side in "ab"]

    def __enter__(self):
        names = self.names
        ip = lambda *words: subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", "v0", "netns", names[0], "type", "veth", "peer", "name", "v0", "netns", names[1])
        for n, name in enumerate(names):
            ip("-n", name, "addr", "add", f"198.18.1.{n + 1}/24", "dev", "v0")
            ip("-n", name, "link", "set", "v0", "mtu", str(self.mtu), "up")
        return names

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def veth(mtu):
    """One TCP flow over a veth pair between two namespaces: Gbit/s."""
    with Pair(mtu) as names:
        inside = lambda name, *words: ["ip", "netns", "exec", name, *words]
        server = subprocess.Popen(inside(names[1], "iperf3", "-s", "-1", "--forceflush"), stdout=subprocess.PIPE, text=True)
        for line in server.stdout:
            if "listening" in line:
                break
        client = inside(names[0], "iperf3", "-c", "198.18.1.2", "-C", "cubic", "-J", "-t", str(SECONDS))
        out = subprocess.run(client, check=True, capture_output=True, text=True)
        server.wait()
        return json.loads(out.stdout)["end"]["sum_received"]["bits_per_second"] / 1e9


def verdict(record):
    c = record["certificate"]
    drops = sum(c["unordered_drops"].values())
    late = f"late {c['lateness_p50_ns'] / 1e3:.0f}/{c['lateness_p99_ns'] / 1e3:.0f}/{c['lateness_max_ns'] / 1e3:.0f} us"
    stolen = f", {c['stolen_share'] * 100:.1f} % stolen" if c["stolen_share"] >= 0.001 else ""
    hosts = f"hosts waited {c['host_wait_p99_ns'] / 1e6:.1f}/{c['host_wait_max_ns'] / 1e6:.1f} ms"
    return f"{'valid' if c['valid'] else 'INVALID'}, {late}, {drops} unordered drops, plane {c['cpu_share']:.2f} cpu, {hosts}{stolen}"


RESULTS = []


def say(name, value, unit, against="", ratio=None, note=""):
    RESULTS.append({"name": name, "value": value, "unit": unit, "against": against, "ratio": ratio})
    tail = f"  {ratio:.2f} of {against}" if ratio is not None else ""
    print(f"{name:<34} {value:>10.3f} {unit}{tail}  {note}", flush=True)


def throughput():
    for mtu in (9000, 1500):
        wire, lab, record = [], [], None
        for _ in range(ROUNDS):
            wire.append(veth(mtu))
            text = scenario("400 Gbit/s", "1 us", mtu)
            text += BULK.format(more='tool = "iperf3"', omit=0, seconds=SECONDS)
            record = emulate(text)["bulk"]
            lab.append(record["metrics"]["goodput_bps"] / 1e9)
        plain = statistics.median(wire)
        say(f"veth.{mtu}", plain, "Gbit/s")
        value = statistics.median(lab)
        say(f"lab.{mtu}", value, "Gbit/s", "veth in the same run", value / plain, verdict(record))


def long_paths():
    for rtt, seconds, omit in ((116, 60, 30), (581, 60, 60)):
        text = scenario("10 Gbit/s", f"{rtt / 2} ms", 9000, LARGE)
        text += BULK.format(more="", omit=omit, seconds=seconds)
        record = emulate(text, "--tune-host")["bulk"]
        value = record["metrics"]["goodput_bps"] / 1e9
        note = f"{record['metrics']['retransmits']:.0f} sent again; {verdict(record)}"
        say(f"lab.10g.{rtt}ms", value, "Gbit/s", "the framing ceiling", value / (10 * 8948 / 9038), note)


def veth_delay():
    """What ping says of a plain veth pair, every 10 ms: the hosts' own part, in microseconds."""
    with Pair(9000) as names:
        ping = ["ping", "-q", "-i", "0.01", "-c", str(SECONDS * 100), "198.18.1.2"]
        said = subprocess.run(["ip", "netns", "exec", names[0], *ping], capture_output=True, text=True, check=True).stdout
    least, mean, most = re.search(r"= ([0-9.]+)/([0-9.]+)/([0-9.]+)/", said).groups()
    say("rtt.veth", float(mean) * 1e3, "us", note=f"mean; {float(least) * 1e3:.0f} at least, {float(most) * 1e3:.0f} at most")


def delay():
    veth_delay()
    for name, more in (("idle", ""), ("1 Gbit/s", udp("1 Gbit/s", 8900))):
        for flag in ([], ["--busy"]):
            text = scenario("10 Gbit/s", "58 ms", 9000)
            text += PING.format(count=SECONDS * 100) + more
            record = emulate(text, *flag)["rtt"]
            # The path itself takes 116 ms and both frames' time on the wire.
            base = 116e6 + 2 * (84 + 38) * 0.8
            kind = f"rtt.error.{name}" + (".busy" if flag else "")
            for q in ("p50", "p99", "max"):
                value = (record["metrics"][f"rtt_{q}_ns"] - base) / 1e3
                say(f"{kind}.{q}", value, "us", note=verdict(record) if q == "p50" else "")


# A second host, and a router before the link that is measured.
ROUTED = """
[scenario]
name = "bench"
[[host]]
name = "a"
txqueuelen = 10000
[[host]]
name = "a2"
txqueuelen = 10000
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "in"
ends = ["a", "r"]
framing = "10gbe"
[[link]]
name = "in2"
ends = ["a2", "r"]
framing = "10gbe"
[[link]]
name = "out"
ends = ["r", "b"]
framing = "ethernet"
rate = "{rate}"
delay = "5 ms"
{more}
"""


def rate():
    """UDP a fifth above the rate of a link: what arrives, against what the link carries of it."""
    for mbit in (1, 10, 100, 1000):
        text = ROUTED.format(rate=f"{mbit} Mbit/s", more='queue = "4 MB"')
        text += udp(f"{mbit * 1.2} Mbit/s", 1470, omit=1)
        record = emulate(text)["load"]
        ceiling = mbit * 1e6 * 1470 / 1536
        error = (record["metrics"]["goodput_bps"] / ceiling - 1) * 100
        say(f"rate.error.{mbit}mbit", error, "%", note=verdict(record))


def loss():
    """UDP through a link that loses one of a thousand: the count against chance and against the simulation."""
    text = ROUTED.format(rate="10 Gbit/s", more="loss = 1e-3") + udp("200 Mbit/s", 1470)
    both = run(text)
    lost, sent = {}, 0
    for origin, (records, _) in both.items():
        metrics = records["load"]["metrics"]
        sent = metrics["sent"]
        lost[origin] = round(metrics["loss_ratio"] * sent)
    wide = 2.576 * math.sqrt(sent * 1e-3 * (1 - 1e-3))
    note = f"of {sent:.0f}; 99 % interval {sent * 1e-3 - wide:.0f} to {sent * 1e-3 + wide:.0f}; "
    note += f"the same seed simulated {lost['simulated']}; {verdict(both['emulated'][0]['load'])}"
    say("loss.1e-3", lost["emulated"], "frames", note=note)


CLASSES = """
[link.forward]
scheduler = "wrr"
memory = "512 kB"
[[link.forward.class]]
name = "be"
cos = 0
weight = {weight}
memory_share = 0.5
[[link.forward.class]]
name = "lbe"
cos = [1, 2, 3, 4, 5, 6, 7]
weight = {rest}
memory_share = 0.5
"""


def shares():
    """Two floods, one in each queue of a Catalyst's port: the first one's share of what leaves it."""
    for weight in (99, 70, 50):
        text = ROUTED.format(rate="200 Mbit/s", more=CLASSES.format(weight=weight, rest=100 - weight))
        text += udp("300 Mbit/s", 1470, "be", "a", "cs0", 1) + udp("300 Mbit/s", 1470, "lbe", "a2", "cs1", 1)
        share = {}
        both = run(text)
        for origin, (records, _) in both.items():
            goodput = [records[n]["metrics"]["goodput_bps"] for n in ("be", "lbe")]
            share[origin] = goodput[0] / sum(goodput) * 100
        note = f"simulated {share['simulated']:.2f}; {verdict(both['emulated'][0]['be'])}"
        say(f"wrr.share.{weight}", share["emulated"], "%", note=note)


def small():
    """Datagrams of 64 bytes: the highest rate of those tried at which nothing is lost and the data plane keeps up."""
    best = None
    for kpps in (25, 50, 100, 150, 200, 300, 400, 600, 800):
        text = scenario("10 Gbit/s", "5 ms", 1500, link="") + udp(f"{kpps * 1e3 * 64 * 8 / 1e6} Mbit/s", 64)
        record = emulate(text)["load"]
        metrics, c = record["metrics"], record["certificate"]
        reached = metrics["received"] / SECONDS / 1e3
        print(f"  {kpps} kpps wanted: {reached:.0f} received, {metrics['loss_ratio']:.4f} lost, {verdict(record)}", flush=True)
        if metrics["loss_ratio"] > 0 or reached < 0.98 * kpps:
            break
        best = (kpps, record)
    if best:
        say("small.frames", best[0], "kframes/s", note=verdict(best[1]))


def storm():
    """Loss storms. Of full-size datagrams every second one is lost, so what was one super-frame is written in a dozen pieces: the
    highest rate of those tried at which the data plane keeps up. And TCP that goes on through a loss of one in a hundred."""
    best = None
    for mbit in (600, 1200, 1800, 2400, 3600, 4800):
        text = scenario("10 Gbit/s", "5 ms", 1500, link="loss = 0.5") + udp(f"{mbit} Mbit/s", 1470)
        record = emulate(text)["load"]
        metrics = record["metrics"]
        sent, wanted = metrics["sent"] / SECONDS / 1e3, mbit * 1e3 / 1470 / 8
        print(f"  {wanted:.0f} k/s wanted: {sent:.0f} sent, {metrics['loss_ratio']:.4f} lost, {verdict(record)}", flush=True)
        if sent < 0.98 * wanted or not record["certificate"]["valid"]:
            break
        best = (sent, record)
    if best:
        say("storm.udp", best[0], "kframes/s", note=verdict(best[1]))
    text = scenario("10 Gbit/s", "10 ms", 1500, LARGE, "loss = 1e-2")
    record = emulate(text + BULK.replace("cubic", "bbr").format(more="", omit=2, seconds=SECONDS))["bulk"]
    note = f"{record['metrics']['retransmits']:.0f} sent again; {verdict(record)}"
    say("storm.tcp", record["metrics"]["goodput_bps"] / 1e9, "Gbit/s", note=note)


def soak():
    """Ten minutes at 1 Gbit/s: memory of the process every half minute, and what was dropped."""
    path = "target/lab-bench.toml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(scenario("1 Gbit/s", "58 ms", 9000, LARGE))
        file.write(BULK.format(more="", omit=10, seconds=590))
    command = [FARPATH, "run", path, "--emulate", "--predict", "--json"]
    resident = []
    with open("target/lab-soak.json", "w", encoding="utf-8") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            try:
                child.wait(30)
                break
            except subprocess.TimeoutExpired:
                with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
                    resident.append(int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024)
    with open("target/lab-soak.json", encoding="utf-8") as file:
        document = json.load(file)
    record = next(r for r in document["records"] if r["origin"] == "emulated")
    say("soak.goodput", record["metrics"]["goodput_bps"] / 1e6, "Mbit/s", "the framing ceiling",
        record["metrics"]["goodput_bps"] / (1e9 * 8948 / 9038), f"{record['metrics']['retransmits']:.0f} sent again; {verdict(record)}")
    say("soak.memory", resident[-1], "MB", note=f"{resident[0]:.0f} after half a minute, {max(resident):.0f} at most")


ALL = {"throughput": throughput, "delay": delay, "rate": rate, "loss": loss, "shares": shares, "small": small, "storm": storm,
       "long": long_paths, "soak": soak}
for part in PARTS or [p for p in ALL if p != "soak"]:
    ALL[part]()
with open("target/lab-bench.json", "w", encoding="utf-8") as file:
    json.dump(RESULTS, file, indent=1)
