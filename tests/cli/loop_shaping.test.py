"""excite, simulate, frf, tune, simulate, as a person would run them; and mistakes on the way that are named."""
import cmath
import csv
import math

from program import ProgramTest, main

BENCHES = {  # robot: joint, posture, drives, gains, torque that shakes
    "rrr": (1, "[0, -60 deg, 40 deg]", "rigid", (300, 30), "4 N*m"),
    "ur5e": (3, "[0, -70 deg, 80 deg, 0, 90 deg, 0]", "rigid", (800, 80), "8 N*m"),
    "asea2": (1, "[0, 20 deg]", "elastic", (600, 100), "100 N*m"),
}
DOF = {"rrr": 3, "ur5e": 6, "asea2": 2}


def lines(path):
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {round(float(row["frequency"]), 6): complex(float(row["re"]), float(row["im"])) for row in rows}


class LoopShaping(ProgramTest):
    def scenario(self, robot, more=""):
        joint, posture, drives, (kp, kd), shake = BENCHES[robot]
        locks = ", ".join(f"{{joint: {i}}}" for i in range(1, DOF[robot] + 1) if i != joint)
        path = self.folder / f"{robot}.yaml"
        path.write_text(f"""scenario: {robot}
robot: {robot}
start: {{q: {posture}}}
plant: {{drives: {drives}, friction: false, locks: [{locks}]}}
sensors: {{speed: difference}}
controller: {{kind: sum, terms: [{{kind: gravity}}, {{kind: joint_pd, kp: {kp}, kd: {kd}}}]}}
inputs: [{{joint: {joint}, kind: multisine, amplitude: {shake}, period: 2 s, from: 1 Hz, to: 150 Hz, tilt: 1}}]
run: {{duration: 10 s, tolerance: 1e-7}}
{more}""")
        return path, joint

    def shaken(self, scenario, joint, name, *more):
        self.done("simulate", scenario, "-o", self.folder / name, *more)
        frf = self.folder / f"{name}.csv"
        self.done("frf", self.folder / name / "log.csv", "--input", f"tau{joint}_ref", "--output", f"q{joint}_meas",
                  "--excitation", "input_1", "--segment", "2s", "--periodic", "--begin", "4s", "-o", frf)
        return frf

    def test_the_chain_runs_for_any_arm_and_its_margins_are_those_of_the_linearized_plant(self):
        for robot in BENCHES:
            with self.subTest(robot):
                scenario, joint = self.scenario(robot)
                frf = self.shaken(scenario, joint, robot)
                law = self.folder / f"{robot}_law.yaml"
                from_log = self.done("tune", frf, "--scenario", scenario, "--to", "60Hz", "-o", law, "--json").json
                bode = self.folder / f"{robot}_bode.csv"
                self.done("linearize", scenario, "--sampled", "--input", f"tau{joint}_ref", "--output", f"q{joint}_meas",
                          "--from", "1Hz", "--to", "150Hz", "--bode", bode)
                # the loop of the tuned controller about the linearized plant, worked out here
                loop = lines(bode)
                margin = self.phase_margin(loop, from_log)
                self.assertLess(abs(margin - from_log["postures"][0]["phase_margin"]), math.radians(2))
                step = self.done("simulate", scenario, "--with", law, "--set", "inputs=[]",
                                 "--set", f"reference={{kind: step, to: {self.moved(robot)}}}", "--set", "run.duration=2s", "--json")
                self.assertTrue(step.json["complete"])
                self.assertLess(abs(step.json["joints"][joint - 1]["end"] - self.target(robot)), 1e-3)

    def phase_margin(self, plant, tuned):
        tick, least, before = tuned["tick"], math.pi, None
        for f, P in sorted(plant.items()):
            back = cmath.exp(-2j * math.pi * f * tick)
            C = tuned["kp"] + tuned["kd"] * (1 - back) / tick
            for filter in tuned["filters"]:
                w = 2 * math.pi * filter["frequency"]
                s = w / math.tan(w * tick / 2) * (1 - back) / (1 + back)
                C *= (s * s + 2 * filter["zero_damping"] * w * s + w * w) / (s * s + 2 * filter["damping"] * w * s + w * w)
            L = P * C
            if before is not None and (abs(before) >= 1) != (abs(L) >= 1):
                least = min(least, abs(math.remainder(cmath.phase(L) - math.pi, 2 * math.pi)))
            before = L
        return least

    def target(self, robot):
        joint, posture = BENCHES[robot][:2]
        word = posture.strip("[]").split(",")[joint - 1].split()
        return float(word[0]) * (math.pi / 180 if word[-1] == "deg" else 1) + 0.02

    def moved(self, robot):
        joint, posture = BENCHES[robot][:2]
        words = [word.strip() for word in posture.strip("[]").split(",")]
        words[joint - 1] = f"{self.target(robot)!r} rad"
        return "[" + ", ".join(words) + "]"

    def test_the_feedback_linearized_loop_is_measured_and_tuned_by_its_acceleration(self):
        scenario, _ = self.scenario("rrr")
        scenario.write_text(scenario.read_text().replace(
            "{kind: sum, terms: [{kind: gravity}, {kind: joint_pd, kp: 300, kd: 30}]}", "{kind: computed_torque, kp: 350, kd: 26}").replace(
            "amplitude: 4 N*m", "quantity: acceleration, amplitude: 30 rad/s^2"))
        self.done("simulate", scenario, "-o", self.folder / "run")
        frf, law = self.folder / "frf.csv", self.folder / "law.yaml"
        answer = self.done("frf", self.folder / "run" / "log.csv", "--input", "part_acceleration1", "--output", "q1_meas", "--excitation",
                           "input_1", "--segment", "2s", "--periodic", "--begin", "4s", "--from", "2Hz", "--to", "20Hz", "-o", frf, "--json").json
        self.assertAlmostEqual(answer[0]["low_frequency"]["power"], -2, delta=0.05)  # a double integrator
        self.done("tune", frf, "--scenario", scenario, "-o", law)
        self.assertIn("kind: computed_torque", law.read_text())
        self.done("simulate", scenario, "--with", law)

    def test_tune_says_where_its_search_ended_and_keeps_to_the_torque(self):
        scenario, joint = self.scenario("rrr")
        frf = self.shaken(scenario, joint, "rrr")
        low = self.done("tune", frf, "--to", "5Hz", "--json").json
        self.assertTrue(low["at_highest_crossover"])
        self.assertIn("is the highest crossover tried", self.done("tune", frf, "--to", "5Hz").out)
        free = self.done("tune", frf, "--json").json
        self.assertFalse(free["at_highest_crossover"])
        limited = self.done("tune", frf, "--step", "0.1", "--limit", "60", "--json").json
        self.assertTrue(limited["at_limit"])
        self.assertLess(limited["postures"][0]["bandwidth"], free["postures"][0]["bandwidth"])
        self.assertLessEqual(0.1 * limited["kp"], 60 * 1.0001)
        self.refused(1, "tune", frf, "--step", "0.1", "--limit", "1e-6", says=["asks for more than", "hint"])

    def test_mistakes_are_named_and_nothing_is_written(self):
        scenario, joint = self.scenario("rrr")
        frf = self.folder / "frf.csv"
        frf.write_text("frequency,re,im\n" + "".join(f"{k},{-1 / k**2!r},0\n" for k in range(1, 60)))
        law = self.folder / "law.yaml"
        self.refused(2, "tune", frf, "-o", law, says=["add --scenario FILE"])
        self.refused(2, "tune", frf, "--scenario", scenario, "-o", law, "--tick", "2ms", says=["leave --tick out"])
        self.refused(2, "tune", frf, "--step", "0.1", says=["give both, or neither"])
        self.refused(2, "simulate", scenario, "--with", self.folder / "none.yaml", says=["none.yaml"])
        wrong = self.folder / "wrong.yaml"
        wrong.write_text("controler: {kind: joint_pd}\n")
        self.refused(2, "simulate", scenario, "--with", wrong, says=["wrong.yaml:1:1", "did you mean 'controller'?"])
        for inputs, words in (("[{joint: 7, amplitude: 1}]", "joints count from 1 to 3"), ("[{joint: 2, amplitude: 1}]", "locked"),
                              ("[{joint: 1, quantity: voltage, amplitude: 1 V}]", "plant: {command: voltage}"),
                              ("[{joint: 1, kind: sine, frequency: 700 Hz, amplitude: 1}]", "Nyquist frequency"),
                              ("[{joint: 1, kind: wobble}]", "wobble")):
            self.refused(2, "simulate", scenario, "--set", f"inputs={inputs}", says=[words, "hint"])
        self.assertFalse(law.exists())


if __name__ == "__main__":
    main()
