"""excite, as a person would run it: a motion a robot can play, and mistakes that are named."""
import csv
import math
import re

from program import LONG, ROOT, ProgramTest, main

QUICK = ("--starts", "3", "--rate", "200Hz")
PAPER = ROOT / "studies" / "kostic2004" / "base_parameters.txt"


class Excite(ProgramTest):
    def test_a_robot_can_play_the_file_from_rest_to_rest(self):
        out = self.folder / "excitation.csv"
        answer = self.done("excite", "rrr", "--harmonics", "3", "--periods", "2", "-o", out, *QUICK)
        self.assertIn("condition number", answer.out)
        with open(out) as file:
            header, *rows = csv.reader(line for line in file if not line.startswith("#"))
        self.assertEqual(header[:4], ["time [s]", "q1 [rad]", "q2 [rad]", "q3 [rad]"])
        for row in (rows[0], rows[-1]):
            self.assertLess(max(abs(float(cell)) for cell in row[4:10]), 1e-6)
        for before, after in zip(rows, rows[1:]):  # 200 samples per second, at most 3 π rad/s
            self.assertAlmostEqual(float(after[0]) - float(before[0]), 0.005)
            self.assertLess(max(abs(float(a) - float(b)) for a, b in zip(after[1:4], before[1:4])), 0.005 * 9.43)

    def test_the_answer_is_the_same_with_one_and_with_two_threads(self):
        one, two = (self.done("excite", "rpr", "--harmonics", "3", "--velocity", "2", "--acceleration", "10", "--lower", "-1",
                              "--upper", "1", "--threads", n, "--json", "--starts", "1", "--rate", "200Hz").json for n in (1, 2))
        self.assertEqual(one["sine"], two["sine"])
        self.assertTrue(one["within_limits"])

    def test_limits_that_nobody_states_are_assumed_and_said(self):
        quick = ("--harmonics", "2", "--starts", "1", "--rate", "50Hz", "--json")
        for arm in ("rpr", "puma560", "asea2") if LONG else ("rpr", "asea2"):
            answer = self.done("excite", arm, *quick, timeout=300)
            self.assertIn("no velocity limit is stated; assumed", answer.err, arm)
            found = answer.json
            self.assertTrue(found["within_limits"], arm)
            for speed, acceleration in zip(found["largest_velocity"], found["largest_acceleration"]):
                self.assertLessEqual(speed, 1.5708, arm)  # 90 deg/s, reached in half a second at the earliest
                self.assertLessEqual(acceleration, 2 * 1.5708, arm)
        given = self.done("excite", "rpr", "--velocity", "1", "--acceleration", "3", *quick)
        self.assertNotIn("velocity limit is stated", given.err)

    def test_a_useless_motion_is_called_one(self):
        answer = self.done("excite", "rrr", "--base-frequency", "10Hz", "--starts", "1", "--rate", "200Hz")
        self.assertIn("some parameters will be poorly determined", answer.err)
        self.assertIn("it is hardly excited", answer.err)

    def test_a_motion_beyond_the_torque_limits_is_told_and_can_be_kept_within(self):
        self.done("export", "rrr", "-o", self.folder / "weak.yaml")
        text = (self.folder / "weak.yaml").read_text()
        weak = re.sub(r"torque: [^,}\n]*", 'torque: "18 N*m"', text)
        self.assertNotEqual(weak, text)
        (self.folder / "weak.yaml").write_text(weak)
        quick = (self.folder / "weak.yaml", "--harmonics", "2", "--starts", "2", "--rate", "50Hz", "--json")
        told = self.done("excite", *quick)
        worst = max(told.json["largest_torque"])
        self.assertGreater(worst, 18)
        self.assertIn(f"{worst:.4g} of 18 N m", told.err)
        kept = self.done("excite", *quick, "--torque-limits")
        self.assertLessEqual(max(kept.json["largest_torque"]), 18)
        self.assertNotIn("of 18 N m", kept.err)

    def test_criteria_scales_and_limits(self):
        # Each criterion's motion is the best of all by that criterion, worked out here from the singular values of each motion.
        worth = {"condition": lambda s: s[0] / s[-1],
                 "frobenius": lambda s: math.sqrt(sum(x * x for x in s)) * math.sqrt(sum(1 / (x * x) for x in s)),
                 "log-det": lambda s: -2 * sum(math.log(x) for x in s),
                 "smallest": lambda s: -s[-1],
                 "largest": lambda s: -s[0]}
        found = {criterion: self.done("excite", "rrr", "--harmonics", "3", "--criterion", criterion, "--starts", "3", "--rate",
                                      "100Hz", "--json").json["singular_values"] for criterion in worth}
        for criterion, value in worth.items():
            own = value(found[criterion])
            for other, values in found.items():
                self.assertLessEqual(own, value(values) + 0.01 * abs(value(values)), f"{other} is better by {criterion}")
        answer = self.done("excite", "rrr", "--parameters", PAPER, "--without", "p4,p15", "--torque-limits", "--scale",
                           "parameters,torques", "--noise", "0.5,0.2,0.1", "--workspace", "-1,1,-1,1,0,2", "--json", "--starts", "1", "--rate", "100Hz").json
        self.assertEqual(len(answer["parameters"]), 13)
        self.assertTrue(answer["within_limits"])

    def test_any_number_of_harmonics_joint_by_joint(self):
        limits = ("--acceleration", "5", "--starts", "1", "--rate", "100Hz")
        few = self.done("excite", "ur5e", "--harmonics", "2", *limits, "--json", timeout=300).json  # 24 coefficients, 36 parameters
        self.assertEqual(len(few["parameters"]), 36)
        self.assertLess(few["condition"], 1e4)
        own = self.done("excite", "rrr", "--harmonics", "2,4,3", "--starts", "2", "--rate", "100Hz", "--json").json
        for j, number in enumerate((2, 4, 3)):
            for part in ("sine", "cosine"):
                self.assertTrue(all(x == 0 for x in own[part][j][number:]))
                self.assertTrue(all(x != 0 for x in own[part][j][:number]))
        self.refused(2, "excite", "rrr", "--harmonics", "2,4", says=["--harmonics has 2 numbers", "one value per joint: 3"])

    def test_mistakes_are_named(self):
        self.refused(2, "excite", "rrr", "--criterion", "conditon", says="did you mean 'condition'?")
        self.refused(2, "excite", "rrr", "--without", "p99", says="there is no parameter 'p99'")
        self.refused(2, "excite", "rrr", "--harmonics", "0", says="--harmonics")
        self.refused(2, "excite", "rrr", "--velocity", "1,2", says="--velocity")
        self.refused(2, "excite", "rrr", "--periods", "1e9", says=["1e+13 rows", "fewer --periods"])
        self.refused(2, "excite", "rrr", "--rate", "1e9Hz", says=["rows", "a lower --rate"])
        self.refused(2, "excite", "rrr", "--base-frequency", "1e-6", says=["rows"])
        self.refused(2, "excite", "rrr", "--threads", "1000", says=["--threads", "from 1 to 256"])
        self.refused(2, "excite", "rrr", "--starts", "1e9", says="1 to 100000")
        self.refused(2, "excite", "rrr", "--effort", "1e9", says="1 to 1000")
        bad = self.folder / "bad.txt"
        bad.write_text("p1 = Izz1 + 2 nonsense\n")
        self.refused(2, "excite", "rrr", "--parameters", bad, says="bad.txt:1:")
        self.refused(2, "excite", "rrr", "-o", self.folder / "none" / "x.csv", *QUICK, says="none")
        self.assertEqual(self.left_in_folder(), ["bad.txt"])


if __name__ == "__main__":
    main()
