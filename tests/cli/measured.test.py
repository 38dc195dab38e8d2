"""A measured arm, its files as they were recorded: accuracy, and fits at every weight of the reference."""
import itertools
import math
import re
import unittest

from program import LONG, ROOT, ProgramTest, main

DATA = ROOT.parent / "shared" / "data"
LWR4 = DATA / "lwr4_raw"
URDF = LWR4 / "kuka_lwr4.urdf"
RUNS = {k: LWR4 / f"run_{k}.csv.xz" for k in (1, 2, 3)}
AUTHORS = 0.0281  # published, physically consistent, trained on 2 and 3, validated on 1 (the README of the data)
PLAIN = ("--friction", "coulomb_viscous:0.02", "--no-rotors", "--measured-velocity")  # one model for every log


@unittest.skipUnless(LWR4.is_dir(), "the measured logs are not here")
class Measured(ProgramTest):
    def error(self, training, held):
        """Over all rows of a run that was held out, by default."""
        arm = self.folder / "identified.yaml"
        answer = self.done("identify", URDF, *(RUNS[k] for k in training), "-o", arm, "--json", timeout=500).json
        self.assertTrue(all(link["possible"] for link in answer["links"]))
        return self.done("validate", arm, RUNS[held], "--json", timeout=300).json["relative_error_all_rows"]

    def test_two_runs_predict_the_third_better_than_its_authors_could(self):
        self.assertLess(self.error((2, 3), 1), AUTHORS)

    def test_a_faster_run_is_predicted_from_slow_ones(self):
        self.assertLess(self.error((1, 2), 3), 0.05)  # plain least squares: 12 %

    def test_less_reference_fits_no_worse_and_every_fit_is_certified(self):
        before = 1
        for weight in ("1e6", "1e3", "1", "1e-3", "1e-5") if LONG else ("1e6", "1", "1e-5"):
            answer = self.done("identify", URDF, RUNS[1], *PLAIN, "--reference-weight", weight, "--json", timeout=300).json
            self.assertLessEqual(answer["duality_gap"], 1e-6)
            error = answer["error"]["bodies_training"]
            self.assertLessEqual(error, before * (1 + 1e-6), weight)
            before = error


    def test_logs_of_one_arm_agree_within_their_intervals_as_often_as_the_documentation_says(self):
        page = (ROOT / "docs" / "identification.md").read_text(encoding="utf-8")
        quoted = {(int(a), int(b)): int(share) for a, b, share in re.findall(r"LWR4, runs (\d) and (\d)[^|]*\|[^|]*\| (\d+) %", page)}
        options = ("--friction", "coulomb_viscous", "--no-springs", "--no-rotors", "--measured-velocity", "--cutoff", "7.07107", "--parallel", "2.82843")
        runs = {k: self.parameters(self.done("identify", URDF, log, *options, "--json", timeout=300).json) for k, log in RUNS.items()}
        shares = {pair: agreeing(runs[pair[0]], runs[pair[1]]) for pair in itertools.combinations(runs, 2)}
        self.assertEqual({pair: round(100 * share) for pair, share in shares.items()}, quoted)
        self.assertGreater(sum(shares.values()) / len(shares), 0.9)

    @staticmethod
    def parameters(answer):
        return {(p["name"], p["stands_for"]): p for p in answer["parameters"] if p["determined"]}


def agreeing(one, other):
    """Share of the parameters of two logs that differ by no more than their 95 % intervals together."""
    both = [(one[name], other[name]) for name in one if name in other]
    half = [math.hypot(*((p["interval_95"][1] - p["interval_95"][0]) / 2 for p in pair)) for pair in both]
    return sum(abs(a["estimate"] - b["estimate"]) <= h for (a, b), h in zip(both, half)) / len(both)


KR300 = DATA / "kr300_weigand"
STUDY = ROOT / "studies" / "measured"


@unittest.skipUnless(KR300.is_dir(), "the measured logs are not here")
class Counterbalanced(ProgramTest):
    def test_a_machine_with_a_counterbalance_needs_its_arm_file_alone(self):
        options = ("--map", STUDY / "kr300_map.yaml", "--window", "2.6s..8.2s")
        arm = self.folder / "identified.yaml"
        said = self.done("identify", STUDY / "kr300.yaml", KR300 / "traj_A.csv.xz", *options, "-o", arm, timeout=500)
        self.assertIn("the spring of joint a2", said.out)
        for run, most in (("B", 0.04), ("C", 0.04)):  # their authors: 6.2 %
            answer = self.done("validate", arm, KR300 / f"traj_{run}.csv.xz", *options, "--json", timeout=300).json
            self.assertLess(answer["relative_error"], most)

    def test_two_encoders_give_the_stiffnesses_that_the_documentation_quotes(self):
        page = (ROOT / "docs" / "drives.md").read_text(encoding="utf-8")
        quoted = [tuple(map(float, found)) for found in re.findall(r"([\d.]+) MN m/rad \(([\d.]+) to ([\d.]+)\)", page)]
        shortest, longest = map(float, re.search(r"all three lag by ([\d.]+) to ([\d.]+) ms", page).groups())
        answer = self.done("identify", STUDY / "kr300.yaml", *(KR300 / f"traj_{run}.csv.xz" for run in "ABC"), "--map", STUDY / "kr300_map.yaml",
                           "--link-positions", "q_link{}", "--window", "2.6s..8.2s", "--json").json["joints"]
        told = [joint for joint in answer if joint.get("determined")]
        self.assertEqual([joint["joint"] for joint in told], ["a2", "a3"])
        self.assertEqual([tuple(round(x / 1e6, 1) for x in (joint["stiffness"], *joint["interval_95"])) for joint in told], quoted)
        lags = [1e3 * joint["lag"] for joint in answer if joint["both_sides"]]
        self.assertEqual((round(min(lags), 1), round(max(lags), 1)), (shortest, longest))


main()
