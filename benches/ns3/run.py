#!/usr/bin/env python3
"""Runs the reference dumbbell on ns-3 and prints one JSON line for the bench table.

ns-3 comes from its public package (the `ns3` wheel on PyPI), installed into a virtual environment
under target/ns3; dumbbell.cc is compiled against the headers and libraries inside that wheel, so no
interpreter runs while the clock does. Nothing else in the repository needs any of this.

    python3 benches/ns3/run.py [--flows 10] [--seconds 10] [--buffer 2000000]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE.parents[1] / "target" / "ns3"
PACKAGE = "ns3==3.44.post0"
MODULES = ["applications", "point-to-point", "internet", "traffic-control", "network", "stats", "core"]


def say(text):
    """Progress goes to stderr; stdout carries the one JSON line."""
    print(f"ns-3: {text}", file=sys.stderr, flush=True)


def call(*command):
    """Runs a command with its output on stderr; a failure ends the script with exit 3."""
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if done.returncode != 0:
        say(f"`{command[0]}` failed; the comparison needs python3-venv, g++ and the {PACKAGE} wheel")
        sys.exit(3)


def install():
    """The folder of the installed wheel; installs it on the first call."""
    stamp = WORK / "installed"
    if not stamp.exists() or stamp.read_text() != PACKAGE:
        say(f"installing {PACKAGE} into {WORK}")
        call(sys.executable, "-m", "venv", "--clear", WORK / "venv")
        # The Python bindings (cppyy) are not used: the libraries and headers are enough.
        call(WORK / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "--only-binary", ":all:", "--no-deps", PACKAGE)
        stamp.write_text(PACKAGE)
    return next((WORK / "venv/lib").glob("python3*/site-packages/ns3"))


def build(ns3):
    """Compiles dumbbell.cc when it or the wheel is newer than the program; returns its path."""
    source, program = HERE / "dumbbell.cc", WORK / "dumbbell"
    newest = max(source.stat().st_mtime, (WORK / "installed").stat().st_mtime)
    if not program.exists() or program.stat().st_mtime < newest:
        say("compiling dumbbell.cc")
        core = next((ns3 / "lib64").glob("libns3.*-core.so")).name
        prefix = re.fullmatch(r"lib(ns3\.[\d.]+)-core\.so", core).group(1)
        call("g++", "-std=c++20", "-O3", "-DNDEBUG", f"-I{ns3}/include", source, "-o", program,
             f"-L{ns3}/lib64", f"-Wl,-rpath,{ns3}/lib64",
             # Libraries of modules that are never loaded here carry open symbols of their own.
             "-Wl,--unresolved-symbols=ignore-in-shared-libs",
             *[f"-l{prefix}-{module}" for module in MODULES])
    return program


def main():
    """Installs, builds, runs, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10, help="simulated seconds")
    parser.add_argument("--buffer", type=int, default=2_000_000, help="socket buffers, bytes")
    args = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    program = build(install())
    say(f"{args.flows} flows, {args.seconds:g} simulated seconds; a minute or two")
    done = subprocess.run(
        [program, f"--flows={args.flows}", f"--seconds={args.seconds}", f"--buffer={args.buffer}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    run = json.loads(done.stdout)
    print(json.dumps({
        "name": "ns3.hops_per_s",
        "value": round(run["hops"] / run["cpu_s"]),
        "unit": "1/s",
        "against": f"{PACKAGE}, {args.flows} CUBIC flows, {args.buffer} B socket buffers",
        "ratio": None,
        **run,
    }))


if __name__ == "__main__":
    main()
