#!/usr/bin/env python3
"""Runs the scenario on every page of docs/laws and draws its plot.

    python3 tools/docs/law_pages.py ARMATURE [--check]

ARMATURE is the built program. A page NAME.md holds a scenario in a block ```yaml and a line
    <!-- plot: q1 q1_ref [deg 57.29578]; part_gravity1 -->
that names channels of its log: panels are separated by semicolons, [unit factor] rescales one. The plot becomes NAME.svg.
With --check nothing is written: scenarios must run (0.1 s of each), channels exist, a page
has its sections, and every kind of law in src/armature/control (ARMATURE_LAW) has a page or explains itself at the top of its source.
"""
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import laws

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "laws"
SECTIONS = ["## What to tune", "## What it cannot do"]
COLOURS = ["#1668b5", "#d1492e", "#2e8b57", "#8a5ab5", "#c28b00", "#5b6b7a"]
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 190, 62, 26


def read_log(path):
    """{channel: (unit, values)} of a log.csv."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines))
    names = []
    for cell in rows[0]:
        found = re.match(r"^(.*?)\s*(?:\[(.*)\])?$", cell)
        names.append((found.group(1), found.group(2) or ""))
    columns = list(zip(*[[float(x) if x else float("nan") for x in row] for row in rows[1:]]))
    return {name: (unit, column) for (name, unit), column in zip(names, columns)}


def simulate(program, page, text, check):
    """The log of the page's scenario (its first tenth of a second for a check), or None with a complaint printed."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / f"{page.stem}.yaml"
        scenario.write_text(text, encoding="utf-8")
        short = ["--set", "run.duration=0.1s"] if check else []
        done = subprocess.run([program, "simulate", str(scenario), "-o", f"{folder}/out", *short], text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            print(f"{page.name}: its scenario fails:\n{done.stdout}")
            return None
        return read_log(Path(folder) / "out" / "log.csv")


def ticks(low, high):
    """Three to six round numbers between."""
    size = 10.0 ** len(str(int(high - low))) if high - low >= 1 else 1.0
    while True:
        for step in (size, size / 2, size / 5):
            first = -(-low // step)
            numbers = [k * step for k in range(int(first), int(high // step) + 1)]
            if len(numbers) >= 3:
                return numbers
        size /= 10


def panel(time, lines, unit, top):
    """One diagram as SVG, its upper edge at `top`."""
    finite = [y for _, values in lines for y in values if y == y]
    low, high = min(finite), max(finite)
    margin = 0.04 * (high - low) or max(1e-9, abs(high)) * 0.1
    low, high = low - margin, high + margin
    x_of = lambda t: LEFT + (WIDTH - LEFT - 10) * (t - time[0]) / (time[-1] - time[0])
    y_of = lambda y: top + 28 + (HEIGHT - BOTTOM - 28) * (high - y) / (high - low)
    out = []
    for y in ticks(low, high):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y_of(y):.1f}" y2="{y_of(y):.1f}" class="grid"/>'
                   f'<text x="{LEFT - 5}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:.6g}</text>')
    for t in ticks(time[0], time[-1]):
        out.append(f'<text x="{x_of(t):.1f}" y="{top + HEIGHT - 8}" text-anchor="middle">{t:.6g} s</text>')
    at = LEFT + 4
    for colour, (name, values) in zip(COLOURS, lines):
        step = max(1, len(time) // 200)
        points = " ".join(f"{x_of(t):.1f},{y_of(y):.1f}" for t, y in list(zip(time, values))[::step] if y == y)
        out.append(f'<polyline points="{points}" stroke="{colour}"/>')
        out.append(f'<text x="{at}" y="{top + 20}" fill="{colour}">{name}</text>')
        at += 7 * len(name) + 16
    out.append(f'<text x="{WIDTH - 12}" y="{top + 20}" text-anchor="end">{unit}</text>')
    return out


def draw(log, plot, complain):
    time = log["time" if "time" in log else "t"][1]
    body, top = [], 0
    for spec in plot.split(";"):
        scaled = re.search(r"\[(\S+) (\S+)\]", spec)
        lines, unit = [], ""
        for name in re.sub(r"\[.*?\]", "", spec).split():
            if name not in log:
                complain(f"no channel '{name}' in the log")
                return ""
            unit, values = log[name]
            factor = float(scaled.group(2)) if scaled else 1.0
            lines.append((name, [factor * v for v in values]))
        body += panel(time, lines, scaled.group(1) if scaled else unit, top)
        top += HEIGHT
    style = ("<style>text{font:12px sans-serif;fill:#444}polyline{fill:none;stroke-width:1.5}"
             ".grid{stroke:#ddd}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")
    # The legend's own colours win over the style sheet's.
    text = "\n".join(body).replace('" fill="', '" style="fill:')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}">{style}\n{text}\n</svg>\n'


def main():
    program, check = sys.argv[1], "--check" in sys.argv
    problems = [f"{source}: {kind} has neither docs/laws/{kind}.md nor a comment at the top of its source"
                for kind, source in laws.sources().items() if not (PAGES / f"{kind}.md").exists() and not laws.comment_of(source)]
    for page in sorted(PAGES.glob("*.md")):
        if page.stem == "README":
            continue
        text = page.read_text(encoding="utf-8")
        complain = lambda what: problems.append(f"docs/laws/{page.name}: {what}")
        for section in SECTIONS:
            if section not in text:
                complain(f"no section '{section}'")
        scenario, plot = re.search(r"```yaml\n(.*?)```", text, re.S), re.search(r"<!-- plot: (.*?) -->", text)
        if not scenario or not plot:
            complain("no scenario in a block ```yaml, or no line <!-- plot: ... -->")
            continue
        log = simulate(program, page, scenario.group(1), check)
        if log is None:
            complain("its scenario does not run")
            continue
        svg = draw(log, plot.group(1), complain)
        if svg and not check:
            (PAGES / f"{page.stem}.svg").write_text(svg, encoding="utf-8")
        if not (PAGES / f"{page.stem}.svg").exists() or f"({page.stem}.svg)" not in text:
            complain(f"its plot {page.stem}.svg is missing or not shown")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
