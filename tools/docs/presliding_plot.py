#!/usr/bin/env python3
"""Draws docs/presliding.svg: the hysteresis of LuGre friction below breakaway.

    python3 tools/docs/presliding_plot.py ARMATURE

ARMATURE is the built program. A link of 1 kg m² with textbook friction is pushed to and fro with three torques, by default settings.
"""
import sys
import tempfile
from pathlib import Path

from program_runs import Program
from svg_plot import Axis, Plot, around

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "presliding.svg"
ARM = """arm: block
gravity: [0, 0, 0]
joints:
  - name: axis
    type: revolute
    dh: {theta: 0, d: 0, a: 1 m, alpha: 0}
    link: {name: beam, mass: 1 kg, com: [-1 m, 0, 0], inertia: {about: com, xx: 1, yy: 1, zz: 1, xy: 0, xz: 0, yz: 0}}
    friction: {law: lugre, sigma0: 1e5 N*m/rad, sigma1: 316 N*m*s/rad, sigma2: 0.4 N*m*s/rad, coulomb: 1 N*m, static: 1.5 N*m,
               stribeck_velocity: 0.001 rad/s}
"""
SCENARIO = """scenario: presliding
robot: block.yaml
plant: {{wrenches: [{{from: 0, to: 3 s, force: [0, {force} N, 0], profile: sine, frequency: 1 Hz}}]}}
controller: {{kind: open_loop}}
run: {{duration: 2.25 s, tick: 2 ms}}
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], Path(folder))
        program.file("block.yaml", ARM)
        loops = []
        for force, colour in ((1.3, "third"), (0.9, "fourth"), (0.5, "own")):
            log = program.simulated(SCENARIO.format(force=force))
            rows = [k for k, t in enumerate(log["time"]) if t >= 1.249]  # one period, after the first push
            loops.append((f"{force} N m", colour, [(1e6 * log["q1"][k], log["friction1"][k]) for k in rows]))
        points = [p for _, _, loop in loops for p in loop]
        plot = Plot(Axis("angle [µrad]", *around([p[0] for p in points])), Axis("friction [N m]", *around([p[1] for p in points])),
                    "sigma0 = 10⁵ N m/rad, breakaway at 1.5 N m", height=320)
        for name, colour, loop in loops:
            plot.curve(name, colour, loop)
        PICTURE.write_text(plot.svg(), encoding="utf-8")


main()
