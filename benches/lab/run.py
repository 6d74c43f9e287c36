"""Measures the lab on this machine: throughput beside a plain veth pair, long paths, delay.

Needs root, iperf3, iproute2 and an idle machine. Prints a table and writes target/lab-bench.json.
usage: run.py FARPATH [SECONDS]
"""

import json
import os
import statistics
import subprocess
import sys

FARPATH = sys.argv[1]
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
ROUNDS = 3

SCENARIO = """
[scenario]
name = "bench"
[[host]]
name = "a"
txqueuelen = 100000
tcp_rmem = "4096 131072 2000000000"
tcp_wmem = "4096 131072 2000000000"
[[host]]
name = "b"
tcp_rmem = "4096 131072 2000000000"
tcp_wmem = "4096 131072 2000000000"
[[link]]
name = "wire"
ends = ["a", "b"]
rate = "{rate}"
delay = "{delay}"
mtu = {mtu}
queue = "1bdp"
"""

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
name = "load"
kind = "udp"
from = "a"
to = "b"
rate = "1 Gbit/s"
size = 8900
duration = "{seconds} s"
"""


def emulate(text, *flags):
    path = "target/lab-bench.toml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        [FARPATH, "run", path, "--emulate", "--predict", "--json", *flags],
        capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"{done.stderr}\n{text}")
    document = json.loads(done.stdout)
    return {r["test"]: r for r in document["records"] if r["origin"] == "emulated"}


def veth(mtu):
    """One TCP flow over a veth pair between two namespaces: Gbit/s."""
    names = [f"fpbench{os.getpid()}{side}" for side in "ab"]
    run = lambda *words: subprocess.run(words, check=True, capture_output=True, text=True)
    try:
        for name in names:
            run("ip", "netns", "add", name)
        run("ip", "link", "add", "v0", "netns", names[0], "type", "veth", "peer", "name", "v0", "netns", names[1])
        for n, name in enumerate(names):
            run("ip", "-n", name, "addr", "add", f"198.18.1.{n + 1}/24", "dev", "v0")
            run("ip", "-n", name, "link", "set", "v0", "mtu", str(mtu), "up")
        inside = lambda name, *words: ["ip", "netns", "exec", name, *words]
        server = subprocess.Popen(inside(names[1], "iperf3", "-s", "-1", "--forceflush"), stdout=subprocess.PIPE, text=True)
        for line in server.stdout:
            if "listening" in line:
                break
        out = run(*inside(names[0], "iperf3", "-c", "198.18.1.2", "-C", "cubic", "-J", "-t", str(SECONDS)))
        server.wait()
        return json.loads(out.stdout)["end"]["sum_received"]["bits_per_second"] / 1e9
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def verdict(record):
    c = record["certificate"]
    drops = sum(c["unordered_drops"].values())
    late = f"late {c['lateness_p50_ns'] / 1e3:.0f}/{c['lateness_p99_ns'] / 1e3:.0f}/{c['lateness_max_ns'] / 1e3:.0f} us"
    return f"{'valid' if c['valid'] else 'INVALID'}, {late}, {drops} unordered drops, plane {c['cpu_share']:.2f} cpu"


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
            text = SCENARIO.format(rate="400 Gbit/s", delay="1 us", mtu=mtu)
            text += BULK.format(more='tool = "iperf3"', omit=0, seconds=SECONDS)
            record = emulate(text)["bulk"]
            lab.append(record["metrics"]["goodput_bps"] / 1e9)
        plain = statistics.median(wire)
        say(f"veth.{mtu}", plain, "Gbit/s")
        value = statistics.median(lab)
        say(f"lab.{mtu}", value, "Gbit/s", "veth in the same run", value / plain, verdict(record))


def long_paths():
    for rtt, seconds, omit in ((116, 60, 30), (581, 60, 60)):
        text = SCENARIO.format(rate="10 Gbit/s", delay=f"{rtt / 2} ms", mtu=9000)
        text += BULK.format(more="", omit=omit, seconds=seconds)
        record = emulate(text, "--tune-host")["bulk"]
        value = record["metrics"]["goodput_bps"] / 1e9
        note = f"{record['metrics']['retransmits']:.0f} sent again; {verdict(record)}"
        say(f"lab.10g.{rtt}ms", value, "Gbit/s", "the framing ceiling", value / (10 * 8948 / 9038), note)


def delay():
    for name, more in (("idle", ""), ("1 Gbit/s", UDP.format(seconds=SECONDS))):
        for flag in ([], ["--busy"]):
            text = SCENARIO.format(rate="10 Gbit/s", delay="58 ms", mtu=9000)
            text += PING.format(count=SECONDS * 100) + more
            record = emulate(text, *flag)["rtt"]
            # The path itself takes 116 ms and both frames' time on the wire.
            base = 116e6 + 2 * (84 + 38) * 0.8
            kind = f"rtt.error.{name}" + (".busy" if flag else "")
            for q in ("p50", "p99", "max"):
                value = (record["metrics"][f"rtt_{q}_ns"] - base) / 1e3
                say(f"{kind}.{q}", value, "us", note=verdict(record) if q == "p50" else "")


throughput()
delay()
long_paths()
with open("target/lab-bench.json", "w", encoding="utf-8") as file:
    json.dump(RESULTS, file, indent=1)
