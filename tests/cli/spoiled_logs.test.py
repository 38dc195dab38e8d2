"""Twenty ways in which logs go wrong: what is a recorder's habit is mended and said, what is a fault is refused and named by its cause."""
import json
import math
import random
import re

from motions import RATE, Logs, states
from program import main, run


class Spoiled(Logs):
    def answer(self, header, rows, *options, arm="rrr"):
        out = self.folder / "identified.yaml"
        answer = run("identify", arm, self.write(header, rows), "--friction", "coulomb_viscous:0.01", "-o", out, *options)
        self.assertEqual(out.exists(), answer.code == 0)
        return answer

    def named(self, words, rows, header=None, code=2, arm="rrr"):
        answer = self.answer(header or self.header, rows, arm=arm)
        self.assertEqual(answer.code, code, answer.out[:300] + answer.err)
        self.assertIn(words, answer.err)

    def taken(self, words, rows, header=None):
        answer = self.answer(header or self.header, rows)
        self.assertEqual(answer.code, 0, answer.err)
        self.assertIn(words, " ".join(answer.out.split()))

    def torques(self, change):
        return [[*r[:4], *change(r[4:])] for r in self.rows]

    def test_sound(self):
        self.taken("Verdict: excellent model", self.rows)

    # columns

    def test_permuted(self):
        self.named("the torques seem to be in another order", self.torques(lambda t: [t[1], t[2], t[0]]))

    def test_swapped_pair(self):
        self.named("columns tau2 and tau3 seem exchanged: with them exchanged the residual falls from", self.torques(lambda t: [t[0], t[2], t[1]]))

    def test_sign(self):
        self.named("tau2 seems to have the wrong sign", self.torques(lambda t: [t[0], -t[1], t[2]]))

    def test_units(self):
        self.named("tau2 seems to be in another unit", self.torques(lambda t: [t[0], t[1] / 10, t[2]]))

    def test_wrong_gear(self):
        self.named("the gear ratio or torque constant of joint 2 seems to be wrong", self.torques(lambda t: [t[0], t[1] / 4, t[2]]))

    def test_wrong_gear_that_heavier_links_would_explain(self):
        """Free bodies explain twice the torque at one joint; that all other joints agree with the description is what gives it away."""
        for joint, factor in ((2, 2), (2, 4), (3, 0.5), (3, 2), (3, 4)):
            said = f"the gear ratio or torque constant of joint {joint} seems to be wrong: with tau{joint} times {1 / factor:g} the error of the described arm"
            self.named(said, self.torques(lambda t: [x * factor if j + 1 == joint else x for j, x in enumerate(t)]))

    def test_a_description_off_by_a_tenth_is_no_fault(self):
        arm = self.folder / "heavy.yaml"
        self.done("export", "rrr", "-o", arm)
        text = re.sub(r"mass: ([0-9.]+)", lambda m: f"mass: {1.1 * float(m[1]):.6g}", arm.read_text())
        self.assertNotEqual(text, arm.read_text())
        arm.write_text(text)
        answer = self.answer(self.header, self.rows, arm=arm)
        self.assertEqual(answer.code, 0, answer.err)

    def test_missing_joint(self):
        keep = [i for i, name in enumerate(self.header) if "2" not in name]
        self.named("the column 'q2' is missing", [[r[i] for i in keep] for r in self.rows], [self.header[i] for i in keep])

    def test_other_arm(self):
        header, rows = self.log_of("planar3r", 3)
        self.named("another arm", rows, header)

    def test_wrong_gravity(self):
        wall = self.folder / "wall.yaml"
        self.done("export", "rrr", "-o", wall)
        text = wall.read_text()
        lines = [line for line in text.splitlines() if not line.startswith("gravity:")]
        wall.write_text("\n".join([lines[0], "gravity: [9.80665, 0, 0]", *lines[1:]]) + "\n")
        header, rows = self.log_of(wall, 3)
        self.named("gravity seems to point another way", rows, header)

    # sensors

    def test_stuck_encoder(self):
        half = len(self.rows) // 2
        rows = [[*r[:2], self.rows[min(k, half)][2], *r[3:]] for k, r in enumerate(self.rows)]
        self.named("the encoder of joint 2 seems to be stuck", rows)

    def test_dead_sensor(self):
        self.named("column 'tau2': 0 in every row", self.torques(lambda t: [t[0], 0.0, t[2]]))

    def test_saturated(self):
        limit = 0.5 * max(abs(r[5]) for r in self.rows)
        self.named("saturated", self.torques(lambda t: [t[0], max(-limit, min(limit, t[1])), t[2]]))

    def test_offset_encoder(self):
        self.named("the encoder of joint 2 seems to have an offset", [[*r[:2], r[2] + math.pi / 2, *r[3:]] for r in self.rows])

    def test_delay(self):
        late = RATE // 10
        rows = [[*r[:4], *before[4:]] for before, r in zip(self.rows, self.rows[late:])]
        self.named("the torques seem to come later", rows)

    def test_a_torque_that_is_noise(self):
        random.seed(1)
        size = max(abs(r[4]) for r in self.rows) / 2
        self.named("tau1 has nothing to do with the motion", self.torques(lambda t: [random.gauss(0, size), t[1], t[2]]))

    # time

    def test_jitter(self):
        random.seed(2)
        self.taken("jitter", [[r[0] + random.uniform(-2e-3, 2e-3), *r[1:]] for r in self.rows])

    def test_gaps(self):
        self.taken("gap", [r for r in self.rows if not 8 < r[0] < 9])

    def test_epoch_stamps(self):
        self.taken("Times are counted from the first stamp, 1460034856", [[1460034856 + r[0], *r[1:]] for r in self.rows])

    def test_two_runs_glued(self):
        self.taken("run", [*self.rows, *self.rows])

    def test_text_cells(self):
        rows = [list(r) for r in self.rows]
        rows[100][2] = "error"
        self.named("log.csv:102", rows)

    def test_low_rate(self):
        self.named("motion sampled this slowly cannot be differentiated", self.rows[::30])

    def test_aliasing(self):
        """A vibration above half the rate of the log, seen in positions and torques as a slow one."""
        rows = []
        for r in self.rows[::8]:
            shake = math.sin(2 * math.pi * 8 * r[0])
            rows.append([r[0], r[1], r[2] + 0.05 * shake, r[3], r[4], r[5] - 0.05 * (2 * math.pi * 8) ** 2 * 2 * shake, r[6]])
        self.taken("the log is sampled too slowly for its motion", rows)


class EveryEstimator(Logs):
    def test_none_makes_an_arm_of_noise(self):
        random.seed(3)
        rows = [[*r[:4], *(random.gauss(0, 20) for _ in range(3))] for r in self.rows[:401]]
        log, out = self.write(self.header, rows), self.folder / "identified.yaml"
        for kind in ("ols", "wls", "irls", "tls", "ml", "rls", "oe", "ekf"):
            self.refused(2, "identify", "rrr", log, "--friction", "coulomb_viscous:0.01", "--estimator", kind, "-o", out)
            self.assertFalse(out.exists(), kind)


class Verdict(Logs):
    def test_identify_begins_with_five_lines(self):
        log = self.write(self.header, self.rows)
        said = self.done("identify", "rrr", log, "--friction", "coulomb_viscous:0.01").out
        places = [said.index(words) for words in ("Verdict: excellent model", "Held-out error by joint", "Not or poorly determined:", "Limited by", "Next:", "Processing:")]
        self.assertEqual(places, sorted(places))
        answer = json.loads(self.done("identify", "rrr", log, "--friction", "coulomb_viscous:0.01", "--json").out)
        self.assertEqual(len(answer["verdict"]), 5)
        self.assertLessEqual(answer["duality_gap"], 1e-6)

    def test_validate_says_no_by_itself(self):
        swapped = self.write(self.header, [[*r[:4], r[5], r[4], r[6]] for r in self.rows])
        answer = run("validate", "rrr", swapped)
        self.assertEqual(answer.code, 1)
        self.assertIn("Verdict: model rejected", answer.out)
        answer = run("validate", "rrr", swapped, "--json")
        self.assertEqual(answer.code, 1)
        self.assertFalse(answer.json["predicts"])

    def test_validate_reaches_what_is_required_or_not(self):
        heavy = self.write(self.header, [[*r[:4], 1.1 * r[4], 1.1 * r[5], 1.1 * r[6]] for r in self.rows])
        error = 1 - 1 / 1.1
        self.assertEqual(run("validate", "rrr", heavy).code, 0)
        answer = run("validate", "rrr", heavy, "--json")
        self.assertAlmostEqual(answer.json["relative_error_all_rows"], error, delta=0.005)
        self.assertEqual(run("validate", "rrr", heavy, "--require", "10%").code, 0)
        self.assertEqual(run("validate", "rrr", heavy, "--require", "0.1").code, 0)
        answer = run("validate", "rrr", heavy, "--require", "8%")
        self.assertEqual(answer.code, 1)
        self.assertIn("at most 8 % is required", " ".join(answer.out.split()))
        self.refused(2, "validate", "rrr", heavy, "--require", "0%", says="--require")

    def test_rows_at_standstill_count_among_all_rows(self):
        still = [[self.rows[-1][0] + (k + 1) / RATE, *self.rows[-1][1:4], *(x + 3 + 1e-3 * (k % 7) for x in self.rows[-1][4:])] for k in range(500)]
        answer = run("validate", "rrr", self.write(self.header, [*self.rows, *still]), "--json").json
        self.assertGreater(answer["relative_error_all_rows"], 3 * answer["relative_error"])


main()
