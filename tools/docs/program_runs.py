"""Runs of the built program for the plots of docs/estimators.md: scenarios simulated, logs written with noise, logs identified."""
import json
import random
import re
import subprocess
import sys


class Program:
    """The built program and a folder for what it reads and writes."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def __call__(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], text=True, capture_output=True, timeout=600, cwd=self.folder)
        if done.returncode != 0:
            sys.exit(f"armature {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def simulated(self, scenario):
        """The log of a scenario: its columns by name, without units."""
        self("simulate", self.file("scenario.yaml", scenario), "-o", "out")
        return read_log(self.folder / "out" / "log.csv")

    def identified(self, arm, log, *options):
        return json.loads(self("identify", arm, log, *options, "--json"))

    def law(self, arm, joint):
        """The friction of a joint (from 1) in an arm file that the program wrote: its numbers by name, and `law`."""
        text = " ".join((self.folder / arm).read_text(encoding="utf-8").split())
        inside = re.findall(r"friction: \{([^}]*)\}", text)[joint - 1]
        pairs = [part.strip().split(": ") for part in inside.split(",")]
        return {name: value if name in ("law", "source") else float(value.split()[0]) for name, value in pairs}


def read_log(path):
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names = [cell.split(" [")[0] for cell in lines[0]]
    return {name: [float(cell) if cell else 0.0 for cell in column] for name, column in zip(names, zip(*lines[1:]))}


def noise(name):
    """Random numbers of that plot, the same whichever plots are drawn before it."""
    return random.Random("1986 " + name)


def write_log(path, log, joints, disturb=lambda k: {}, positions="q{}", more=()):
    """time, q, tau and the columns `more`; `disturb` says what is added to the columns of sample k. As in the log of a simulation, torques are
    held for a tick from their row on."""
    columns = {"time": log["time"]}
    for i in range(1, joints + 1):
        columns[f"q{i}"] = log[positions.format(i)]
    for name in [f"tau{i + 1}" for i in range(joints)] + list(more):
        columns[name] = log[name]
    rows = [f"# torque_hold: {log['time'][1] - log['time'][0]:.6g}", ",".join(columns)]
    for k, row in enumerate(zip(*columns.values())):
        added = disturb(k)
        rows.append(",".join(repr(v + added.get(n, 0.0)) for n, v in zip(columns, row)))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path.name


# The arm rrr along a motion with a period of 5 s, and along another one for judging.
MOTION = "base_frequency: 0.2 Hz, sine: [[0.5, 0.3, 0.1], [0.4, -0.3, 0.1], [0.6, 0.2, -0.1]], cosine: [[0.2, -0.2, 0.1], [0.1, -0.1, 0.1], [0.3, -0.3, 0.1]]"
OTHER_MOTION = "base_frequency: 0.2 Hz, sine: [[-0.2, 0.6, 0.1], [0.3, 0.5, -0.1], [0.2, -0.5, 0.2]], cosine: [[0.2, -0.2, 0.1], [0.1, -0.1, 0.1], [0.3, -0.3, 0.1]]"
SCENARIO = """scenario: shaken
robot: rrr
start: {on_reference: true}
plant: {friction: false, torque_limits: false}
reference: {kind: fourier, from: [0 deg, -45 deg, 90 deg], MOTION}
controller: {kind: joint_pd, kp: [2000 N*m/rad, 2000 N*m/rad, 600 N*m/rad], kd: [100 N*m*s/rad, 100 N*m*s/rad, 25 N*m*s/rad]}
run: {duration: 10 s, tick: 2 ms, method: rk4}
"""


def shaken(program, motion=MOTION, duration=10, sensors=""):
    return program.simulated(SCENARIO.replace("MOTION", motion).replace("10 s", f"{duration} s") + sensors)


def true_parameters(program, arm):
    """The base parameters of the arm's file, by the name of the parameter that leads each combination."""
    answer = json.loads(program("compute", "base-parameters", arm, "--json"))
    return {p["text"].split()[2]: p["value"] for p in answer["parameters"]}
