"""fit-drive, as a person would run it: shake a machine, step it, fit its drive, run what was fitted; and mistakes that are named."""
import random
import re

from program import ProgramTest, main

DRIVE = """\
arm: drive
source: "Vandeven1986, 4.1, at the motor's shaft; the play is ours"
gravity: [0, 0, 0]
joints:
  - name: motor
    dh: {{theta: 0, d: 0, a: 0, alpha: 0}}
    link: {{name: load, mass: {mass}, com: [0, 0, 0], inertia: {{about: com, xx: {J}, yy: {J}, zz: {J}}}}}
    friction: {{law: coulomb_viscous, coulomb: {coulomb} N*m, viscous: {viscous} N*m*s/rad, source: here}}
    drive: {{gear_ratio: 1, rotor_inertia: {rotor} kg*m^2, torque_constant: 0.088 N*m/A, resistance: 1.6 ohm,
            inductance: 87 uH, stiffness: {stiffness} N*m/rad, damping: {damping} N*m*s/rad, backlash: {backlash} rad,
            source: printed}}
"""
TRUE = {"mass": 0.5, "J": 372e-6, "rotor": 271e-6, "stiffness": 1.44, "damping": 1600e-6, "backlash": 0.05,
        "coulomb": 0.025, "viscous": 788e-6}
NAMES = {"J": "load_inertia", "rotor": "rotor_inertia"}

SHAKE = """\
scenario: shake
question: What does the drive answer while it turns one way?
robot: true.yaml
seed: 5
plant: {drives: elastic, command: voltage, stick: exact}
reference: {kind: fastest, from: [0 rad], to: [900 rad], velocity: [40 rad/s], acceleration: [400 rad/s^2], noise: [2 rad]}
controller: {kind: joint_pd, kp: [0.01 N*m/rad], kd: [0.01 N*m*s/rad]}
run: {duration: 9 s, tick: 1 ms, tolerance: 1e-6}
"""
STEP = """\
scenario: step
question: What does it do from rest, to and fro through the play?
robot: true.yaml
seed: 6
plant: {drives: elastic, command: voltage, stick: exact}
converter: {bits: 5, range: 3}
reference: {kind: sine, from: [0 rad], amplitude: [5 rad], frequency: [1.5 Hz]}
controller: {kind: joint_pd, kp: [0.02 N*m/rad], kd: [0 N*m*s/rad]}
run: {duration: 1.1 s, tick: 1 ms, tolerance: 1e-7}
"""


def measure(simulated, path, seed):
    """What a data logger keeps: the command, an encoder at the load, a tachometer at the motor."""
    noise = random.Random(seed)
    rows = [line for line in simulated.read_text().splitlines() if not line.startswith("#")]
    names = [heading.split(" [")[0] for heading in rows[0].split(",")]
    places = [names.index(name) for name in ("time", "u_motor", "q1", "v_motor")]
    with open(path, "w") as file:
        file.write("time [s],u_motor [V],q1 [rad],v_motor [rad/s]\n")
        for row in rows[1:]:
            cells = row.split(",")
            time, u, q, v = (cells[place] for place in places)
            angle = 0.003 * round((float(q) + 0.0015 * noise.gauss(0, 1)) / 0.003)
            file.write(f"{time},{u},{angle!r},{float(v) + 0.1 * noise.gauss(0, 1)!r}\n")


class FitDrive(ProgramTest):
    def setUp(self):
        super().setUp()
        wrong = {key: value * (0.5 if key in ("stiffness", "coulomb") else 2) for key, value in TRUE.items()}
        for name, text in (("true.yaml", DRIVE.format(**TRUE)), ("described.yaml", DRIVE.format(**wrong)),
                           ("shake.yaml", SHAKE), ("step.yaml", STEP)):
            (self.folder / name).write_text(text)

    def fit(self, *more):
        return ("fit-drive", "step.yaml", "--set", "robot=described.yaml", *more)

    def test_the_whole_way_from_logs_to_a_model_that_runs(self):
        here = {"cwd": self.folder, "timeout": 600}
        for name in ("shake", "step"):
            self.done("simulate", f"{name}.yaml", "-o", name, **here)
            measure(self.folder / name / "log.csv", self.folder / f"{name}.csv", 3)
        self.done("frf", "shake.csv", "--input", "u_motor", "--output", "v_motor", "--begin", "1s", "--segment", "2s",
                  "-o", "frf.csv", **here)
        answer = self.done(*self.fit("--frf", "frf.csv", "--step", "step.csv", "--from", "3Hz", "-o", "fitted.yaml",
                                     "--page", "page", "--json"), **here).json
        self.assertTrue(answer["converged"])
        found = {p["name"]: p for p in answer["parameters"]}
        for key, true in TRUE.items():
            if key == "mass":
                continue
            p = found[NAMES.get(key, key)]
            self.assertTrue(p["determined"], p)
            self.assertLess(abs(p["value"] / true - 1), 0.25, p)  # from a factor of two off
            self.assertLess(abs(p["value"] - true), 4 * p["deviation"], p)
            self.assertLess(p["interval_95"][0], p["value"])
        self.assertFalse(found["torque_constant"]["free"])
        self.assertEqual(found["torque_constant"]["value"], 0.088)
        self.assertEqual({log["output"] for log in answer["logs"]}, {"q1", "v_motor"})
        self.assertTrue((self.folder / "page" / "index.html").exists())

        text = (self.folder / "fitted.yaml").read_text()
        for words in ("fitted to frf.csv, step.csv", "95 %: ", "what was held: printed", "N*m/rad"):
            self.assertIn(words, text)
        swings = []
        for arm in ("true.yaml", "fitted.yaml"):  # about a state in which teeth touch: without play
            closed = re.sub(r"backlash: [^,}]*,?", "", (self.folder / arm).read_text())
            (self.folder / f"closed_{arm}").write_text(closed)
            modes = self.done("linearize", "step.yaml", "--set", f"robot=closed_{arm}", "--json", **here).json["modes"]
            swings.append([mode["frequency"] for mode in modes if mode["im"] > 0])
        self.assertEqual(len(swings[0]), 1)
        self.assertLess(abs(swings[1][0] / swings[0][0] - 1), 0.02)
        again = self.done("simulate", "step.yaml", "--set", "robot=fitted.yaml", "-o", "again", **here)
        self.assertIn("log.csv", again.out)

        alone = self.done(*self.fit("--frf", "frf.csv", "--from", "3Hz"), **here).out
        self.assertIn("The logs do not tell 'backlash'", alone)
        self.assertIn("not determined", alone)
        held = self.done(*self.fit("--frf", "frf.csv", "--from", "3Hz", "--fix", "backlash,coulomb,load_inertia", "--json"),
                         **here).json
        self.assertFalse({p["name"]: p for p in held["parameters"]}["load_inertia"]["free"])

        # mistakes, on the same files
        refused = lambda *arguments, says: self.refused(2, *arguments, says=[*says, "hint"], **here)
        refused(*self.fit("--frf", "frf.csv", "--fix", "stifness"), says=["'stifness'", "did you mean 'stiffness'?"])
        refused(*self.fit("--step", "step.csv", "--set", "run.tick=2ms"), says=["step.csv", "every 0.001 s", "0.002 s"])
        refused(*self.fit("--frf", "frf.csv", "--set", "run.tick=2ms"), says=["frf.csv:", "above half the sampling rate"])
        refused(*self.fit("--frf", "frf.csv", "--output", "q2"), says=["frf.csv", "'q2' shows nothing of the drive"])
        refused(*self.fit("--frf", "frf.csv", "--joint", "elbow"), says=["no joint 'elbow'"])
        refused(*self.fit("--frf", "frf.csv", "--set", "plant.drives=rigid"), says=["plant.drives is 'rigid'"])
        refused(*self.fit("--frf", "step.csv"), says=["step.csv", "frequency"])
        refused(*self.fit("--step", "frf.csv"), says=["frf.csv", "time"])
        refused(*self.fit("--step", "step.csv", "--column", "v_gear"), says=["step.csv", "'v_gear'"])
        refused(*self.fit(), says=["no log to fit to"])
        (self.folder / "other.csv").write_text((self.folder / "frf.csv").read_text().replace("u_motor", "u_elbow"))
        refused(*self.fit("--frf", "other.csv"), says=["other.csv", "response to 'u_elbow'"])
        (self.folder / "silent.csv").write_text("frequency,re,im\n1,1,0\n2,1,0\n")
        refused(*self.fit("--frf", "silent.csv"), says=["silent.csv", "does not say what it is a response of"])
        (self.folder / "bad.csv").write_text("frequency,re\n1,2\n")
        refused(*self.fit("--frf", "bad.csv"), says=["bad.csv"])
        self.assertNotIn("wrong.yaml", self.left_in_folder())

    def test_a_chain_of_four_inertias_is_found_and_runs(self):
        here = {"cwd": self.folder, "timeout": 300}
        two = re.sub(r", backlash: [^,]*", "", DRIVE.format(**TRUE))
        shaft = ("tachometer_inertia: 34e-6, tachometer_stiffness: 789, tachometer_damping: 1200e-6, rotor_viscous: 788e-6, rotor_inertia: 41e-6, "
                 "coupling_stiffness: 1225, coupling_damping: 0.068, gear_inertia: 196e-6")
        two = re.sub(r"friction: {.*}", "friction: {law: none}", two).replace("rotor_inertia: 0.000271 kg*m^2", "rotor_inertia: 0.000271 kg*m^2, rotor_viscous: 788e-6 N*m*s/rad")
        four = two.replace("rotor_inertia: 0.000271 kg*m^2, rotor_viscous: 788e-6 N*m*s/rad", shaft)
        (self.folder / "two.yaml").write_text(two), (self.folder / "four.yaml").write_text(four)

        def swings(arm):
            found = self.done("linearize", "step.yaml", "--set", f"robot={arm}", "--json", **here).json["modes"]
            return [mode["frequency"] for mode in found if mode["im"] > 0]
        true = swings("four.yaml")
        for found, paper in zip(true, (15.17, 623.5, 1261)):  # |eigenvalue|, a little below what the response's peaks say
            self.assertLess(abs(found / paper - 1), 0.01)
        self.done("linearize", "step.yaml", "--set", "robot=four.yaml", "--output", "v_motor_tachometer", "--from", "2Hz", "--to", "2000Hz", "--bode", "bode.csv", **here)
        fit = ("fit-drive", "step.yaml", "--set", "robot=two.yaml", "--frf", "bode.csv", "--output", "v_motor_tachometer", "--continuous")
        answer = self.done(*fit, "--inertias", "choose", "-o", "fitted.yaml", "--json", **here).json
        self.assertEqual([c["inertias"] for c in answer["chains"] if c["taken"]], [4])
        for found, expected in zip(swings("fitted.yaml"), true):
            self.assertLess(abs(found / expected - 1), 0.01)
        ends = []  # as it is, and with the method for stiff plants asked for: the default has to find out by itself
        for folder, more in (("ran", ()), ("asked", ("--set", "run.method=cvode"))):
            self.done("simulate", "step.yaml", "--set", "robot=fitted.yaml", "--set", "run.duration=0.1s", *more, "-o", folder, **here)
            lines = [line for line in (self.folder / folder / "log.csv").read_text().splitlines() if not line.startswith("#")]
            ends.append(dict(zip(lines[0].split(","), map(float, lines[-1].split(",")))))
        for name in (name for name in ends[0] if name.startswith(("q1", "v1"))):
            self.assertAlmostEqual(ends[0][name], ends[1][name], delta=1e-5 * (1 + abs(ends[1][name])), msg=name)
        shorter = self.done(*fit, "--inertias", "2", **here).out
        self.assertIn("rotor - load", shorter)
        self.done("linearize", "step.yaml", "--set", "robot=two.yaml", "--output", "v_motor", "--from", "2Hz", "--to", "2000Hz", "--bode", "short.csv", **here)
        longer = self.done("fit-drive", "step.yaml", "--set", "robot=two.yaml", "--frf", "short.csv", "--output", "v_motor", "--continuous", "--inertias", "3", **here).out
        self.assertIn("is not supported by the", " ".join(longer.split()))
        self.refused(2, *fit, "--inertias", "7", says=["--inertias '7'", "hint"], **here)
        self.refused(2, "fit-drive", "step.yaml", "--set", "robot=two.yaml", "--step", "s.csv", "--inertias", "3", says=["s.csv"], **here)


if __name__ == "__main__":
    main()
