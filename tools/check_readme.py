#!/usr/bin/env python3
"""Runs the commands that README.md shows, in order, and compares what they print with what stands there.

    python3 tools/check_readme.py BUILD_FOLDER

An indented line that begins with `armature` or `$ armature` is a command; all of them run in one temporary folder and must succeed. Below a
line with `$`, up to the next command or the end of the block, stands what it prints; a line `...` stands for lines left out. Files
that a reader has and we do not (a robot's description, its logs) are stood in for by those of the RRR arm; the log of the UR10 is looked for in
ARMATURE_DATA and in shared/data above this folder, and without it what was printed for it is not checked. Local links and pictures must
exist, and the C++ program must be the one that the test `consumer` builds against the installed library.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^    (\$ )?(armature .*?)(?:\s+#.*)?$")
SCENARIO = """scenario: my_run
robot: {robot}
start: {{on_reference: true}}
reference: {reference}
controller: {{kind: joint_pd, kp: [2000 N*m/rad, 2000 N*m/rad, 600 N*m/rad], kd: [100 N*m*s/rad, 100 N*m*s/rad, 25 N*m*s/rad]}}
run: {{duration: {duration}, tick: 1 ms}}
"""
WAVE = "{kind: fourier, from: [0 deg, -45 deg, 90 deg], base_frequency: 0.3 Hz, sine: [[0.3, 0.2], [0.2, -0.3], [0.4, 0.2]], cosine: [[0.1, 0.2], [0.2, -0.1], [0.1, -0.2]]}"


UR10 = Path("ur10_unisa") / "ur10_exciting.csv.xz"


def measured(path):
    """Where a measured log lies, or None."""
    above = [Path(os.environ["ARMATURE_DATA"])] if "ARMATURE_DATA" in os.environ else [p / "shared" / "data" for p in ROOT.parents]
    return next((folder / path for folder in above if (folder / path).exists()), None)


def examples(lines):
    """(line number, command, lines it should print, or None where the README does not say) of every command."""
    for at, line in enumerate(lines):
        command = COMMAND.match(line)
        if command:
            end = at + 1
            while end < len(lines) and not COMMAND.match(lines[end]) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            yield at + 1, command.group(2), [shown[4:].rstrip() for shown in lines[at + 1:end]] if command.group(1) else None


def matches(shown, printed):
    """Whether the lines are those printed, where '...' stands for any number of them."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


def trimmed(lines):
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")


class Reader:
    """Somebody who follows the README in an empty folder, with a robot of their own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        for name in ("scenarios", "arms"):
            (folder / name).symlink_to(ROOT / name)

    def run(self, command):
        words = [str(self.program), *shlex.split(command)[1:]]
        return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                              env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"})

    def played(self, reference, duration, name):
        (self.folder / "stand_in.yaml").write_text(SCENARIO.format(robot="robot.urdf", reference=reference, duration=duration))
        done = self.run("armature simulate stand_in.yaml -o stand_in")
        assert done.returncode == 0, done.stdout
        (self.folder / "stand_in" / "log.csv").rename(self.folder / name)

    def has(self, command):
        """Stands in for the reader's own files that the command names."""
        words = shlex.split(command)
        for name in [w for w in words if not (self.folder / w).exists()]:
            if name == UR10.name and measured(UR10):
                (self.folder / name).symlink_to(measured(UR10))
                (self.folder / "map.yaml").write_text("position: q{}\nvelocity: dq{}\ntorque: tau{}\n")
                self.run(f"armature identify ur10 {name} --map map.yaml --to 18s -o ur10_identified.yaml")
            if name == "robot.urdf":
                self.run("armature export rrr -o robot.urdf")
            if name == "log.csv":
                self.played("{kind: table, table: motion.csv}", "10 s", name)
            if name == "other.csv":
                self.played(WAVE, "6 s", name)
            if name == "run.yaml":
                (self.folder / name).write_text(SCENARIO.format(robot="identified.yaml", reference=WAVE, duration="2 s"))
            if name == "campaign.yaml":
                (self.folder / name).write_text("campaign: mine\nscenario: run.yaml\nvary: {arm.payload.mass: {uniform: [0 kg, 1 kg]}}\n"
                                                "plan: {kind: monte_carlo, runs: 20}\nrequire: {tool_largest: below 50 mm}\n")


def wrong_commands(program, lines):
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(program, Path(folder))
        for number, command, shown in examples(lines):
            if UR10.name in command and not measured(UR10):
                print(f"README.md:{number}: not tried, {UR10} is not here")
                continue
            reader.has(command)
            done = reader.run(command)
            printed = trimmed(done.stdout.splitlines())
            if done.returncode != 0:
                yield f"README.md:{number}: $ {command}\nends with {done.returncode}:\n{done.stdout}"
            elif shown is not None and not matches(trimmed(shown), printed):
                yield f"README.md:{number}: $ {command}\nprints something else than shown:\n" + "\n".join(printed)


def wrong_links(text):
    for link in re.findall(r"\]\(([^)#\s]+)\)|src=\"([^\"]+)\"", text):
        target = link[0] or link[1]
        if "://" not in target and not (ROOT / target).exists():
            yield f"README.md: there is no {target}"


def wrong_program(text):
    block = re.search(r"```cpp\n(.*?)```", text, re.S)
    source = (ROOT / "tools" / "consumer" / "main.cpp").read_text(encoding="utf-8")
    if block is None or not source.endswith("\n" + block.group(1)):
        yield "README.md: the C++ program is not that of tools/consumer/main.cpp"


def main(build):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    wrong = [*wrong_links(text), *wrong_program(text), *wrong_commands(build / "armature", lines)]
    count = len(list(examples(lines)))
    print(*wrong, f"readme: {count} commands, {len(wrong)} faults, {len(lines)} lines", sep="\n")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
