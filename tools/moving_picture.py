#!/usr/bin/env python3
"""Draws docs/measured.svg: a measured arm in motion, beside its torques as they were read and as its identified model predicts them.

    python3 tools/moving_picture.py FOLDER OUT.svg [--from S] [--to S] [--joints 1,2,3] [--azimuth DEG] [--title TEXT] [--note TEXT]

FOLDER is what `armature validate ARM LOG --page FOLDER` left: report.json has the frames of the arm, log.csv the samples. The picture in
README.md is made by tools/moving_picture.sh, which also has the commands before. It is an SVG that moves by itself, for both themes.
"""
import argparse
import csv
import json
import math
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, ARM, PLOT_LEFT, PLOT_RIGHT = 880, 420, 400, 452, 868
KEYS = 121  # poses of the arm; browsers interpolate between them
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # Okabe and Ito, as in the page
STYLE = """
  svg { --paper: #fff; --ink: #1b2430; --muted: #667282; --grid: #e3e7ec; --link: #aeb8c3; --edge: #5f6b78; --model: #0072b2; --read: #d55e00 }
  @media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e4e9ef; --muted: #93a0af; --grid: #28313b; --link: #77838f;
    --edge: #c3ccd5; --model: #56b4e9; --read: #f0823c } }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink) }
  .small { font-size: 11.5px; fill: var(--muted) } .title { font-size: 16px; font-weight: 650 }
  .grid { stroke: var(--grid); fill: none } .read { stroke: var(--read); stroke-width: 3.2; fill: none; opacity: 0.55; stroke-linejoin: round }
  .model { stroke: var(--model); stroke-width: 1.5; fill: none; stroke-linejoin: round } .cursor { stroke: var(--muted); stroke-width: 1 }
  .edge { stroke: var(--paper); fill: none; stroke-linecap: round; stroke-linejoin: round }
  .link { stroke: var(--link); fill: none; stroke-linecap: round; stroke-linejoin: round }
  .shine { stroke: #fff; opacity: 0.35; fill: none; stroke-linecap: round; stroke-linejoin: round }
  .trail { stroke: var(--read); fill: none; stroke-width: 1.5; opacity: 0.35 }
"""


def turned(q):
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def moved(R, p, v):
    return [p[i] + sum(R[i][k] * v[k] for k in range(3)) for i in range(3)]


def shapes(scene, q):
    """World points of the arm: a bent line per link (along z of its parent, then across, as in the page), a short axis per joint."""
    poses, links, joints = [], [], []
    for frame in scene:
        R, p = poses[frame["parent"]] if frame["parent"] >= 0 else ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])
        offset = frame.get("position") or [0, 0, 0]
        if frame["parent"] >= 0:
            links.append([p, moved(R, p, [0, 0, offset[2]]), moved(R, p, offset)])
        p, R = moved(R, p, offset), times(R, turned(frame.get("turn") or [1, 0, 0, 0]))
        if frame.get("joint"):
            value = q[frame["joint"]]
            if frame.get("slides"):
                p = moved(R, p, [0, 0, value])
            else:
                c, s = math.cos(value), math.sin(value)
                R = times(R, [[c, -s, 0], [s, c, 0], [0, 0, 1]])
            joints.append((p, [R[i][2] for i in range(3)]))
        poses.append((R, p))
    return links, joints, poses[-1][1]


def camera(azimuth, elevation=16):
    """From where the arm is seen [deg]; the picture has no perspective."""
    a, e = math.radians(azimuth), math.radians(elevation)
    right = (-math.sin(a), math.cos(a), 0)
    up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
    return lambda v: (sum(r * x for r, x in zip(right, v)), sum(u * x for u, x in zip(up, v)))


def read_log(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: [float(row[i]) if row[i] else math.nan for row in rows[1:]] for i, name in enumerate(names)}


def at(log, name, t):
    time, values = log["time"], log[name]
    i = max(1, min(len(time) - 1, next((k for k, x in enumerate(time) if x >= t), len(time) - 1)))
    share = (t - time[i - 1]) / (time[i] - time[i - 1])
    return values[i - 1] + min(1, max(0, share)) * (values[i] - values[i - 1])


def animate(attribute, values, seconds):
    return f'<animate attributeName="{attribute}" dur="{seconds:g}s" repeatCount="indefinite" values="{";".join(values)}"/>'


def arm_picture(scene, log, begin, end, seconds, azimuth):
    names = [f["joint"] for f in scene if f.get("joint")]
    instants = [begin + (end - begin) * k / (KEYS - 1) for k in range(KEYS)]
    poses = [shapes(scene, {n: at(log, n, t) for n in names}) for t in instants]
    look = camera(azimuth)
    seen = [look(p) for links, _, _ in poses for link in links for p in link]
    low = [min(p[i] for p in seen) for i in (0, 1)]
    high = [max(p[i] for p in seen) for i in (0, 1)]
    reach = max(high[0] - low[0], high[1] - low[1])
    scale = 312 / reach
    middle = [(low[i] + high[i]) / 2 for i in (0, 1)]

    def put(p):
        x, y = look(p)
        return f"{ARM / 2 + scale * (x - middle[0]):.1f},{HEIGHT / 2 + 6 - scale * (y - middle[1]):.1f}"

    thick = max(9.0, 0.075 * scale)
    cell, cells = (0.25, 4) if reach < 2.2 else (0.5, 5)
    out = [f'<clipPath id="left"><rect width="{ARM}" height="{HEIGHT}"/></clipPath><g clip-path="url(#left)">']
    out += [f'<polyline class="grid" points="{put([i * cell, -cells * cell, 0])} {put([i * cell, cells * cell, 0])}"/>'
           f'<polyline class="grid" points="{put([-cells * cell, i * cell, 0])} {put([cells * cell, i * cell, 0])}"/>' for i in range(-cells, cells + 1)]
    out.append(f'<polyline class="trail" points="{" ".join(put(tip) for _, _, tip in poses)}"/>')

    def line(kind, width, points, more=""):
        return f'<polyline class="{kind}" stroke-width="{width:.1f}"{more} points="{points[0]}">{animate("points", points, seconds)}</polyline>'

    count = len(poses[0][0])
    for k in range(count):
        width = thick * (1.25 - 0.6 * k / max(1, count - 1))  # arms taper towards the tool
        points = [" ".join(put(p) for p in links[k]) for links, _, _ in poses]
        if any(len(set(p.split())) > 1 for p in points):
            out.append(line("edge", width + 4, points) + line("link", width, points) + line("shine", 0.28 * width, points))
        if k < len(poses[0][1]):
            half = 0.55 * width / scale
            points = []
            for _, joints, _ in poses:
                p, z = joints[k]
                points.append(" ".join(put([p[i] + side * half * z[i] for i in range(3)]) for side in (-1, 1)))
            out.append(line("edge", 1.35 * width + 4, points) + line("link", 1.35 * width, points, f' style="stroke: {COLOURS[k % len(COLOURS)]}"')
                       + line("shine", 0.3 * width, points))
    return out + ["</g>"]


def plots(log, joints, titles, units, begin, end, seconds):
    inside = [i for i, t in enumerate(log["time"]) if begin <= t <= end]
    stride = max(1, len(inside) // 700)
    inside = inside[::stride]
    top, height, gap = 74, 84, 26
    x = lambda t: PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * (t - begin) / (end - begin)
    out = [f'<clipPath id="past"><rect x="{PLOT_LEFT}" y="0" height="{HEIGHT}" width="{PLOT_RIGHT - PLOT_LEFT}">'
           f'{animate("width", ["0", str(PLOT_RIGHT - PLOT_LEFT)], seconds)}</rect></clipPath>']
    for row, j in enumerate(joints):
        read, model = log[f"tau{j}"], log[f"tau{j}_predicted"]
        values = [v for i in inside for v in (read[i], model[i]) if math.isfinite(v)]
        low, high = min(values), max(values)
        y0 = top + row * (height + gap)
        y = lambda v: y0 + height - height * (v - low) / (high - low)
        out.append(f'<circle cx="{PLOT_LEFT + 4}" cy="{y0 - 10}" r="4" fill="{COLOURS[(j - 1) % len(COLOURS)]}"/>'
                   f'<text class="small" x="{PLOT_LEFT + 13}" y="{y0 - 6}">{escape(titles[j - 1])} [{escape(units[j - 1])}]</text>')
        step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 2000, 5000) if (high - low) / s < 4)
        for v in range(math.ceil(low / step) * step, math.floor(high) + 1, step):
            out.append(f'<line class="grid" x1="{PLOT_LEFT}" x2="{PLOT_RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>'
                       f'<text class="small" text-anchor="end" x="{PLOT_LEFT - 6}" y="{y(v) + 4:.1f}">{str(v).replace("-", "−")}</text>')
        curve = lambda name: " ".join(f"{x(log['time'][i]):.1f},{y(name[i]):.1f}" for i in inside if math.isfinite(name[i]))
        out.append(f'<g clip-path="url(#past)"><polyline class="read" points="{curve(read)}"/><polyline class="model" points="{curve(model)}"/></g>')
    bottom = top + len(joints) * (height + gap) - gap
    out.append(f'<line class="cursor" y1="{top - 4}" y2="{bottom}" x1="{PLOT_LEFT}" x2="{PLOT_LEFT}">'
               + animate("x1", [str(PLOT_LEFT), str(PLOT_RIGHT)], seconds) + animate("x2", [str(PLOT_LEFT), str(PLOT_RIGHT)], seconds) + "</line>")
    for k in range(math.ceil(begin), math.floor(end) + 1):
        out.append(f'<text class="small" text-anchor="middle" x="{x(k):.1f}" y="{bottom + 17}">{k}{" s" if k == math.floor(end) else ""}</text>')
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path), parser.add_argument("out", type=Path)
    parser.add_argument("--from", dest="begin", type=float), parser.add_argument("--to", dest="end", type=float)
    parser.add_argument("--joints", default="1,2,3"), parser.add_argument("--title", default=""), parser.add_argument("--note", default="")
    parser.add_argument("--azimuth", type=float, default=-58)
    options = parser.parse_args()
    described = json.loads((options.folder / "report.json").read_text(encoding="utf-8"))["logs"][0]
    log = read_log(options.folder / described["file"])
    begin = log["time"][0] if options.begin is None else options.begin
    end = log["time"][-1] if options.end is None else options.end
    joints = [int(j) for j in options.joints.split(",")]
    moving = [f for f in described["scene"] if f.get("joint")]
    titles = [f["name"].replace("_", " ") + " torque" for f in moving]
    units = ["N" if f.get("slides") else "N m" for f in moving]
    seconds = end - begin
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
             f"<title>{escape(options.title)}</title>", f"<style>{STYLE}</style>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" style="fill: var(--paper)"/>',
             *arm_picture(described["scene"], log, begin, end, seconds, options.azimuth),
             f'<text class="title" x="16" y="28">{escape(options.title)}</text>', f'<text class="small" x="16" y="{HEIGHT - 10}">{escape(options.note)}</text>',
             f'<line class="read" x1="{PLOT_LEFT}" x2="{PLOT_LEFT + 22}" y1="24" y2="24"/><text x="{PLOT_LEFT + 28}" y="28">measured</text>',
             f'<line class="model" x1="{PLOT_LEFT + 110}" x2="{PLOT_LEFT + 132}" y1="24" y2="24"/><text x="{PLOT_LEFT + 138}" y="28">predicted by the identified model</text>',
             *plots(log, joints, titles, units, begin, end, seconds), "</svg>"]
    options.out.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(f"{options.out}: {options.out.stat().st_size / 1000:.0f} kB, {seconds:g} s")


if __name__ == "__main__":
    main()
