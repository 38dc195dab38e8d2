#!/usr/bin/env python3
"""What a build from nothing costs in processor time (user + sys), by room and by object, and what the dearest objects include.

    tools/build_cost.py                         build ./dev demo's targets in build-cost, then print
    tools/build_cost.py --target all            everything that ./dev test builds
    tools/build_cost.py --print [--top 30]      what the last build cost, without building

Every compiler, linker and generator is started by this script, which writes down the processor time of its children. Other work on
the machine adds up to a quarter to it, where it would double the seconds on a clock: compare what was built side by side. ccache is told to compile (and to keep the result).
"""
import argparse
import collections
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-cost"
RECORD = BUILD / "cost.jsonl"
DEMO = ["armature_program", "demo_oracle", "demo_picture"]


def record(command):
    """Runs a command of the build and appends its processor time to RECORD."""
    done = subprocess.run(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = command[command.index("-o") + 1] if "-o" in command else next((w for w in command if w.endswith(".a")), command[0])
    line = json.dumps({"made": made, "seconds": round(used.ru_utime + used.ru_stime, 3), "megabytes": used.ru_maxrss // 1024})
    with open(RECORD, "a", encoding="utf-8") as out:
        out.write(line + "\n")  # one short write: lines of processes side by side stay whole
    return done.returncode


def build(targets, options):
    """From nothing: what was compiled before is removed."""
    BUILD.mkdir(exist_ok=True)
    launch = f'"{sys.executable} {Path(__file__).resolve()} --record"'
    (BUILD / "launch.cmake").write_text(
        "".join(f"set_property(GLOBAL PROPERTY RULE_LAUNCH_{kind} {launch})\n" for kind in ("COMPILE", "LINK", "CUSTOM")), encoding="utf-8")
    subprocess.run(["cmake", "--preset", "dev", "-B", BUILD, f"-DCMAKE_PROJECT_INCLUDE={BUILD}/launch.cmake", *options],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "-t", "clean"], check=True, stdout=subprocess.DEVNULL)
    RECORD.write_text("", encoding="utf-8")
    os.environ["CCACHE_RECACHE"] = "1"
    return subprocess.run(["cmake", "--build", BUILD, "--parallel", str(os.cpu_count()), "--target", *targets]).returncode


def room_of(made):
    if ".dir/" in made:
        return made.split(".dir/")[0].split("/")[-1].removeprefix("armature_")
    return "linking and archives" if made.endswith(".a") or "/" not in made else "generators"


def included():
    """Object -> headers, as the compiler told ninja."""
    of, headers = {}, []
    for line in subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], text=True, capture_output=True).stdout.splitlines():
        if line and not line.startswith(" "):
            headers = of.setdefault(line.split(":")[0], [])
        elif line.strip():
            headers.append(os.path.normpath(BUILD / line.strip()))
    return of


def is_header(path):
    return path.endswith((".hpp", ".h")) or "." not in Path(path).name


def print_cost(top):
    rows = [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
    cost, count = collections.Counter(), collections.Counter()
    for row in rows:
        cost[room_of(row["made"])] += row["seconds"]
        count[room_of(row["made"])] += 1
    print(f"{sum(cost.values()):8.1f} s  {len(rows):4d} commands, all\n")
    for room, seconds in cost.most_common():
        print(f"{seconds:8.1f} s  {count[room]:4d}  {room}")
    headers = included()
    common = set(headers.get("CMakeFiles/armature_precompiled.dir/cmake_pch.hxx.gch", []))
    ours = f"{ROOT}/"
    print(f"\nThe {top} dearest, with the sources in them and what they include beyond the precompiled headers:")
    behind = collections.Counter()
    for row in sorted(rows, key=lambda r: -r["seconds"]):
        seen = [h for h in headers.get(row["made"], []) if h not in common]
        for header in filter(is_header, seen):
            behind[header.removeprefix(ours)] += row["seconds"]
        if top > 0:
            own = [h for h in seen if is_header(h) and h.startswith(ours)]
            rest = [h for h in seen if is_header(h) and not h.startswith(ours)]
            sources = [Path(h).name for h in seen if h.endswith(".cpp")]
            print(f"{row['seconds']:8.1f} s {row['megabytes']:5d} MB  {row['made']}\n{'':22}{' '.join(sources)}; {len(own)} headers of ours, {len(rest)} others")
            top -= 1
    print("\nHeaders by the processor time of all objects that include them:")
    for header, seconds in behind.most_common(40):
        print(f"{seconds:8.1f} s  {header}")


def main():
    if sys.argv[1:2] == ["--record"]:
        sys.exit(record(sys.argv[2:]))
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--print", action="store_true", dest="only_print", help="what the last build cost")
    arguments.add_argument("--target", nargs="+", default=DEMO, help="what to build")
    arguments.add_argument("--top", type=int, default=20, help="how many objects to name")
    arguments.add_argument("--option", action="append", default=[], help="for cmake, e.g. --option=-DARMATURE_BATCHES=OFF")
    asked = arguments.parse_args()
    failed = 0 if asked.only_print else build(asked.target, asked.option)
    print_cost(asked.top)
    sys.exit(failed)


if __name__ == "__main__":
    main()
