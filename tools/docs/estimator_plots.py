#!/usr/bin/env python3
"""Draws the plot of every estimator on docs/estimators.md.

    python3 tools/docs/estimator_plots.py ARMATURE [--check]

ARMATURE is the built program. A motion of the arm rrr is simulated once; to its log each estimator's own kind of trouble is added, and the
log is identified by that estimator and by plain weighted (or unweighted) least squares. Points are estimates less the truth, in percent of the
truth; bars are 95 % intervals. The truth is what the same log gives without any noise. With --check nothing is run: every plot must be there and shown.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURES = ROOT / "docs" / "estimators.md", ROOT / "docs" / "estimators"
SCENARIO = """scenario: shaken
robot: rrr
start: {q: [0 deg, -45 deg, 90 deg]}
plant: {friction: false, torque_limits: false}
reference: {kind: fourier, from: [0 deg, -45 deg, 90 deg], base_frequency: 0.2 Hz, sine: [[0.5, 0.3, 0.1], [0.4, -0.3, 0.1], [0.6, 0.2, -0.1]], cosine: [[0.2, -0.2, 0.1], [0.1, -0.1, 0.1], [0.3, -0.3, 0.1]]}
controller: {kind: joint_pd, kp: [2000 N*m/rad, 2000 N*m/rad, 600 N*m/rad], kd: [100 N*m*s/rad, 100 N*m*s/rad, 25 N*m*s/rad]}
run: {duration: 10 s, tick: 2 ms, method: rk4}
"""
COLOURS = {"other": "#8a94a0", "own": "#d1492e"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 250, 56, 30, 34
rng = random.Random(1986)
gauss = lambda s: rng.gauss(0, s)


def torque_noise(deviations):
    return lambda row: {f"tau{i + 1}": gauss(s) for i, s in enumerate(deviations)}


def outliers(row):
    return {f"tau{i}": gauss(0.05) + (rng.choice((-30, 30)) if rng.random() < 0.01 else 0) for i in (1, 2, 3)}


def shared(row):
    common = gauss(0.5)
    return {f"tau{i}": common + gauss(0.1) for i in (1, 2, 3)}


LOOP_NOISE = "sensors: {position_noise: 1e-5, speed: difference}"  # in the feedback, and so in the torques
# plot: what disturbs the log, the estimator beside it, what is said of the trouble
PLOTS = {
    "ols": (torque_noise((0.2, 0.2, 0.2)), "wls", "noise of 0.2 N m at every joint"),
    "wls": (torque_noise((2, 0.2, 0.02)), "ols", "noise of 2, 0.2 and 0.02 N m at joints 1, 2, 3"),
    "irls": (outliers, "wls", "one torque in a hundred is off by 30 N m"),
    "ml": (shared, "wls", "the joints share most of their noise"),
    "tls": (LOOP_NOISE, "ols", "positions with noise of 0.01 mrad, in the feedback too"),
    "iv": (LOOP_NOISE, "ols", "positions with noise of 0.01 mrad, in the feedback too"),
    "oe": (LOOP_NOISE, "ols", "positions with noise of 0.01 mrad, in the feedback too"),
    "rls": (torque_noise((0.2, 0.2, 0.2)), "wls", "noise of 0.2 N m at every joint, equation by equation"),
    "didim": (LOOP_NOISE, "ols", "positions with noise of 0.01 mrad, in the feedback too"),
}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"armature {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def simulated(program, folder, sensors=""):
    """time, q (as measured), tau and q_ref of a run, as names and rows."""
    (folder / "shaken.yaml").write_text(SCENARIO + sensors + "\n")
    run(program, "simulate", folder / "shaken.yaml", "-o", folder / "out")
    path = folder / "out" / "log.csv"
    lines = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")]
    names = [cell.split(" [")[0] for cell in lines[0]]
    wanted = ["time"] + [f"{kind}{i}" for kind in ("q", "tau") for i in (1, 2, 3)] + [f"q{i}_ref" for i in (1, 2, 3)]
    at = [names.index(name + "_meas" if name[0] == "q" and name[1:].isdigit() else name) for name in wanted]
    return wanted, [[float(row[k]) for k in at] for row in lines[1:]]


def write_log(path, names, rows, disturb):
    text = [",".join(names)]
    for row in rows:
        added = disturb(row)
        text.append(",".join(repr(v + added.get(n, 0.0)) for n, v in zip(names, row)))
    path.write_text("\n".join(text) + "\n")


def identified(program, log, estimator, folder):
    more = []
    if estimator in ("iv", "didim"):
        chart = folder / "map.yaml"
        chart.write_text("position: q{}\ntorque: tau{}\nreference: q{}_ref\n")
        more = ["--map", chart]
    answer = json.loads(run(program, "identify", "rrr", log, "--estimator", estimator, "--friction", "none", "--no-offsets", "--from", "0.5s", "--json", *more))
    return {p["name"]: (p["estimate"], p["interval_95"]) for p in answer["parameters"] if p["determined"]}


def draw(names, curves, caption):
    """Categories along x, several points with bars at each."""
    reach = sorted(abs(v) for _, _, values in curves for y, low, high in values for v in (y,))
    top = 1.3 * reach[-1]
    y_of = lambda y: TOP + (HEIGHT - TOP - BOTTOM) * (top - max(-top, min(top, y))) / (2 * top)
    x_of = lambda k: LEFT + (WIDTH - LEFT - 12) * (k + 0.5) / len(names)
    step = 10.0 ** len(str(int(top))) / 10 if top >= 1 else 0.1
    while 2 * top / step < 4:
        step /= 2
    while 2 * top / step > 9:
        step *= 2
    out = []
    k = -int(top / step)
    while k * step <= top:
        y = y_of(k * step)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}" class="{"zero" if k == 0 else "grid"}"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{k * step:.4g} %</text>')
        k += 1
    for k, name in enumerate(names):
        out.append(f'<text x="{x_of(k):.1f}" y="{HEIGHT - 12}" text-anchor="middle">{name}</text>')
    at = LEFT
    for j, (label, colour, values) in enumerate(curves):
        out.append(f'<circle cx="{at + 5}" cy="14" r="4" fill="{colour}"/><text x="{at + 14}" y="18">{label}</text>')
        at += 30 + 7 * len(label)
        for k, (y, low, high) in enumerate(values):
            x = x_of(k) + 7 * (j - 0.5)
            out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_of(low):.1f}" y2="{y_of(high):.1f}" stroke="{colour}" stroke-width="1.6"/><circle cx="{x:.1f}" cy="{y_of(y):.1f}" r="3.4" fill="{colour}"/>')
    out.append(f'<text x="{WIDTH - 12}" y="18" text-anchor="end">{caption}</text>')
    style = '<style>text{font:12px sans-serif;fill:#444}.grid{stroke:#e4e4e4}.zero{stroke:#888}</style><rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{style}\n' + "\n".join(out) + "\n</svg>\n"


ALONE = """scenario: alone
robot: {arm}
start: {{on_reference: true}}
sensors: {{encoder: 1e-5}}
reference: {{kind: fourier, from: [0 deg, 45 deg], base_frequency: 0.1 Hz, sine: [[0.5, 0.3, 0.1, 0.1], [0, 0, 0, 0]], cosine: [[0.2, -0.2, 0.1, 0.05], [0, 0, 0, 0]]}}
controller: {{kind: joint_pd, kp: [1500 N*m/rad, 5000 N*m/rad], kd: [60 N*m*s/rad, 30 N*m*s/rad]}}
run: {{duration: 30 s, tick: 1 ms}}
"""
TWO = """arm: two
gravity: [0, -9.81, 0]
joints:
  - {name: shoulder, dh: {a: 0.4}, friction: {law: three_sigmoid, f1: 1.6, f2: -0.5, f3: 0.3, w1: 40, w2: 5, w3: 0.8, viscous: 0.4}, link: {name: l1, mass: 4, com: [-0.2, 0, 0], inertia: {about: com, xx: 0.02, yy: 0.06, zz: 0.06}}}
  - {name: elbow, dh: {a: 0.3}, friction: {law: coulomb_viscous, coulomb: 1, viscous: 0.5}, link: {name: l2, mass: 2, com: [-0.15, 0, 0], inertia: {about: com, xx: 0.005, yy: 0.02, zz: 0.02}}}
"""


def friction(v, f, w, b):
    return sum(fk * math.tanh(wk * v) for fk, wk in zip(f, w)) + b * v


def filter_plot(program, folder):
    """One joint of two moves: what the filter makes of its inertia, its gravity and its friction at some speeds."""
    (folder / "two.yaml").write_text(TWO)
    (folder / "alone.yaml").write_text(ALONE.format(arm=folder / "two.yaml"))
    (folder / "map.yaml").write_text("position: q{}_meas\ntorque: tau{}\n")
    run(program, "simulate", folder / "alone.yaml", "-o", folder / "alone")
    answer = json.loads(run(program, "identify", folder / "two.yaml", folder / "alone" / "log.csv", "--map", folder / "map.yaml", "--estimator", "ekf", "--json"))
    p = {x["name"]: x["estimate"] for x in answer["parameters"]}
    width = {x["name"]: 1.96 * x["deviation"] for x in answer["parameters"]}
    c = math.cos(math.pi / 4)
    truth = {"J": 0.06 + 4 * 0.04 + 0.02 + 2 * (0.16 + 0.0225 + 2 * 0.4 * 0.15 * c), "c": 9.81 * abs(complex(4 * 0.2 + 2 * (0.4 + 0.15 * c), 2 * 0.15 * c))}
    names, values = list(truth), [tuple(100 * (p[k] + s * width[k] - truth[k]) / truth[k] for s in (0, -1, 1)) for k in truth]
    for v in (0.05, 0.1, 0.2, 0.4, 0.6):
        found = friction(v, [p[f"f{k}"] for k in (1, 2, 3)], [p[f"w{k}"] for k in (1, 2, 3)], p["b"])
        true = friction(v, (1.6, -0.5, 0.3), (40, 5, 0.8), 0.4)
        names.append(f"f({v})")
        values.append((100 * (found - true) / true,) * 3)
    (PICTURES / "ekf.svg").write_text(draw(names, [("ekf", COLOURS["own"], values)], "one joint alone; f(v): friction at v rad/s"), encoding="utf-8")


def check():
    text = PAGE.read_text(encoding="utf-8")
    problems = [f"docs/estimators.md: {name}.svg is missing or not shown" for name in [*PLOTS, "ekf"]
                if not (PICTURES / f"{name}.svg").exists() or f"(estimators/{name}.svg)" not in text]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names, rows = simulated(program, folder)
        write_log(folder / "clean.csv", names, rows, lambda row: {})
        truth = {k: v[0] for k, v in identified(program, folder / "clean.csv", "ols", folder).items()}
        size = max(abs(v) for v in truth.values())
        kept = [k for k, v in truth.items() if abs(v) > 0.1 * size]
        for estimator, (disturb, other, caption) in PLOTS.items():
            if isinstance(disturb, str):
                write_log(folder / "log.csv", *simulated(program, folder, disturb), lambda row: {})
            else:
                write_log(folder / "log.csv", names, rows, disturb)
            curves = []
            for label, colour in ((other, COLOURS["other"]), (estimator, COLOURS["own"])):
                found = identified(program, folder / "log.csv", label, folder)
                share = lambda value, k: 100 * (value - truth[k]) / abs(truth[k])
                curves.append((label, colour, [(share(found[k][0], k), share(found[k][1][0], k), share(found[k][1][1], k)) for k in kept]))
                print(estimator, label, " ".join(f"{v[0]:.2f}" for v in curves[-1][2]))
            (PICTURES / f"{estimator}.svg").write_text(draw(kept, curves, caption), encoding="utf-8")
        filter_plot(program, folder)
    return check()


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv else main(sys.argv[1]))
