#!/usr/bin/env python3
"""Draws the plots of docs/estimators.md.

    python3 tools/docs/estimator_plots.py ARMATURE [--check] [NAME ...]

ARMATURE is the built program. For the estimators a motion of the arm rrr is simulated; to its log each one's own kind of trouble is added, and
the log is identified by that estimator and by the one that would have been used otherwise. Points are estimates less the truth, which is that of the arm file, in
percent of it; bars are 95 % intervals. Other methods have a picture of their own (method_plots.py). NAMEs draw these plots only. With --check
nothing is run: every plot must be there and shown, and every picture of the page must be one that is drawn here.
"""
import math
import re
import sys
import tempfile
from pathlib import Path

from method_plots import METHODS
from program_runs import Program, noise, shaken, true_parameters, write_log
from svg_plot import errors

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURES = ROOT / "docs" / "estimators.md", ROOT / "docs" / "estimators"
LOOP_NOISE = "sensors: {position_noise: 1e-5, speed: difference}\n"  # in the feedback, and so in the torques


def torque_noise(*deviations):
    return lambda rng: lambda k: {f"tau{i + 1}": rng.gauss(0, s) for i, s in enumerate(deviations)}


def reading_noise(deviation):
    return lambda rng: lambda k: {f"q{i}": rng.gauss(0, deviation) for i in (1, 2, 3)}


def outliers(rng):
    return lambda k: {f"tau{i}": rng.gauss(0, 0.05) + (rng.choice((-30, 30)) if rng.random() < 0.01 else 0) for i in (1, 2, 3)}


def shared(rng):
    def disturb(k):
        common = rng.gauss(0, 0.5)
        return {f"tau{i}": common + rng.gauss(0, 0.1) for i in (1, 2, 3)}
    return disturb


# plot: what disturbs the log (or the sensors of the loop), options of the estimator one would have used otherwise and of this one, words for the trouble
PLOTS = {
    "ols": (torque_noise(0.2, 0.2, 0.2), "wls", "ols", "noise of 0.2 N m at every joint"),
    "wls": (torque_noise(2, 0.2, 0.02), "ols", "wls", "noise of 2, 0.2 and 0.02 N m at joints 1, 2, 3"),
    "irls": (outliers, "wls", "irls", "one torque in a hundred is off by 30 N m"),
    "ml": (shared, "wls", "ml", "the joints share most of their noise"),
    "tls": (reading_noise(1e-5), "ols", "tls", "positions in the log with noise of 0.01 mrad"),
    "iv": (LOOP_NOISE, "ols", "iv", "positions with noise of 0.01 mrad, in the feedback too"),
    "oe": (LOOP_NOISE, "ols", "oe", "positions with noise of 0.01 mrad, in the feedback too"),
    "rls": (torque_noise(0.2, 0.2, 0.2), "wls", "rls", "noise of 0.2 N m at every joint, equation by equation"),
    "didim": (LOOP_NOISE, "ols", "didim", "positions with noise of 0.01 mrad, in the feedback too"),
    "energy": (torque_noise(0.02, 0.02, 0.02), "wls", "energy", "noise of 0.02 N m at every joint"),
    "observer": (reading_noise(3e-5), "wls", "wls --observer", "positions in the log with noise of 0.03 mrad"),
}
MAP = "position: q{}\ntorque: tau{}\nreference: q{}_ref\n"


def estimates(program, log, words):
    estimator, *more = words.split()
    answer = program.identified("rrr", log, "--map", "map.yaml", "--estimator", estimator, "--friction", "none", "--no-offsets", "--from", "0.5s", *more)
    return {p["name"]: (p["estimate"], *p["interval_95"]) for p in answer["parameters"] if p["determined"]}


def estimator_plots(program, wanted):
    truth = true_parameters(program, "rrr")
    kept = [k for k, v in truth.items() if abs(v) > 0.1 * max(map(abs, truth.values()))]
    program.file("map.yaml", MAP)
    logs = {}
    for name, (trouble, other, own, caption) in PLOTS.items():
        if name not in wanted:
            continue
        sensors, trouble = (trouble, lambda rng: lambda k: {}) if isinstance(trouble, str) else ("", trouble)
        if sensors not in logs:
            logs[sensors] = shaken(program, sensors=sensors)
        series = []
        for words, colour in ((other, "other"), (own, "own")):
            file = write_log(program.folder / "log.csv", logs[sensors], 3, trouble(noise(name)), "q{}_meas", [f"q{i}_ref" for i in (1, 2, 3)])
            found = estimates(program, file, words)
            series.append((words, colour, [tuple(100 * (x - truth[k]) / abs(truth[k]) for x in found[k]) for k in kept]))
            print(name, words, " ".join(f"{y:.2f} ({low:.2f}..{high:.2f})" for y, low, high in series[-1][2]))
        yield name, errors(kept, series, caption)


ALONE = """scenario: alone
robot: two.yaml
start: {on_reference: true}
sensors: {encoder: 1e-5}
reference: {kind: fourier, from: [0 deg, 45 deg], base_frequency: 0.1 Hz, sine: [[0.5, 0.3, 0.1, 0.1], [0, 0, 0, 0]], cosine: [[0.2, -0.2, 0.1, 0.05], [0, 0, 0, 0]]}
controller: {kind: joint_pd, kp: [1500 N*m/rad, 5000 N*m/rad], kd: [60 N*m*s/rad, 30 N*m*s/rad]}
run: {duration: 30 s, tick: 1 ms}
"""
TWO = """arm: two
gravity: [0, -9.81, 0]
joints:
  - {name: shoulder, dh: {a: 0.4}, friction: {law: three_sigmoid, f1: 1.6, f2: -0.5, f3: 0.3, w1: 40, w2: 5, w3: 0.8, viscous: 0.4}, link: {name: l1, mass: 4, com: [-0.2, 0, 0], inertia: {about: com, xx: 0.02, yy: 0.06, zz: 0.06}}}
  - {name: elbow, dh: {a: 0.3}, friction: {law: coulomb_viscous, coulomb: 1, viscous: 0.5}, link: {name: l2, mass: 2, com: [-0.15, 0, 0], inertia: {about: com, xx: 0.005, yy: 0.02, zz: 0.02}}}
"""


def sigmoids(v, p):
    return sum(p[f"f{k}"] * math.tanh(p[f"w{k}"] * v) for k in (1, 2, 3)) + p["b"] * v


def filter_plot(program):
    """One joint of two moves: what the filter makes of its inertia, its gravity and its friction at some speeds."""
    program.file("two.yaml", TWO)
    program.simulated(ALONE)
    program.file("map.yaml", "position: q{}_meas\ntorque: tau{}\n")
    answer = program.identified("two.yaml", "out/log.csv", "--map", "map.yaml", "--estimator", "ekf")
    p = {x["name"]: x["estimate"] for x in answer["parameters"]}
    ends = {x["name"]: x["interval_95"] for x in answer["parameters"]}
    c = math.cos(math.pi / 4)
    truth = {"J": 0.06 + 4 * 0.04 + 0.02 + 2 * (0.16 + 0.0225 + 2 * 0.4 * 0.15 * c), "c": 9.81 * abs(complex(4 * 0.2 + 2 * (0.4 + 0.15 * c), 2 * 0.15 * c)),
             "f1": 1.6, "f2": -0.5, "f3": 0.3, "w1": 40, "w2": 5, "w3": 0.8, "b": 0.4}
    names, values = ["J", "c"], [tuple(100 * (x - truth[k]) / truth[k] for x in (p[k], *ends[k])) for k in ("J", "c")]
    for v in (0.05, 0.1, 0.2, 0.4, 0.6):
        names.append(f"f({v})")
        values.append((100 * (sigmoids(v, p) / sigmoids(v, truth) - 1),) * 3)
    return errors(names, [("ekf", "own", values)], "one joint alone; f(v): friction at v rad/s")


def check():
    text = PAGE.read_text(encoding="utf-8")
    drawn = [*PLOTS, "ekf", *METHODS]
    problems = [f"docs/estimators.md: {name}.svg is missing or not shown" for name in drawn
                if not (PICTURES / f"{name}.svg").exists() or f"(estimators/{name}.svg)" not in text]
    problems += [f"docs/estimators.md: {name}.svg is drawn by nobody" for name in re.findall(r"\(estimators/(\w+)\.svg\)", text) if name not in drawn]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main(path, *names):
    wanted = names or [*PLOTS, "ekf", *METHODS]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(path).resolve(), Path(folder))
        def put(name, svg):
            (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
        for name, svg in estimator_plots(program, wanted):
            put(name, svg)
        for name, draw in {"ekf": filter_plot, **METHODS}.items():
            if name in wanted:
                put(name, draw(program))
    return check()


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv else main(*sys.argv[1:]))
