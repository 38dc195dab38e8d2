"""The Bode plot of a Kalman observer, beside the recursion itself run on sines [Kostic2004, (16)-(21), Fig. 7]."""
import cmath
import math

from program import ProgramTest, main

SCENARIO = """\
scenario: observed
robot: {robot}
controller: {{kind: joint_pd, kp: 10, kd: 1, observer: {{kind: kalman, resolution: {resolution}, jerk: {jerk}}}}}
run: {{duration: 0.1 s, tick: {tick} s}}
"""


def kalman_gain(tick, resolution, jerk):
    """The gain of (20), by the filter's own recursion of covariances until it stands still. In ticks and resolutions."""
    E = [[1, 1, 0.5], [0, 1, 1], [0, 0, 1]]
    gamma = [1 / 6, 0.5, 1]
    variance = (jerk * tick ** 3 / resolution) ** 2
    P = [[1.0 if i == j else 0.0 for j in range(3)] for i in range(3)]
    k = [0.0, 0.0, 0.0]
    for _ in range(1_000_000):
        new = [P[i][0] / (P[0][0] + 1 / 12) for i in range(3)]
        if max(abs(a - b) for a, b in zip(new, k)) < 1e-14 * max(new):
            break
        k = new
        C = [[P[i][j] - k[i] * P[0][j] for j in range(3)] for i in range(3)]
        EC = [[sum(E[i][m] * C[m][j] for m in range(3)) for j in range(3)] for i in range(3)]
        P = [[sum(EC[i][m] * E[j][m] for m in range(3)) + variance * gamma[i] * gamma[j] for j in range(3)] for i in range(3)]
    return [k[i] / tick ** i for i in range(3)]


def answer_to_sine(k, tick, frequency):
    """What (20) makes of a sampled exponential when all else has died away: position, speed, acceleration, over what went in."""
    turn = cmath.exp(2j * math.pi * frequency * tick)
    x, y, before = [0j, 0j, 0j], 1 + 0j, None
    for step in range(1, 2_000_001):
        innovation = y - x[0]
        corrected = [x[i] + k[i] * innovation for i in range(3)]
        out = [c / y for c in corrected]
        if step % 1000 == 0:
            if before and all(abs(a - b) < 1e-9 * abs(a) for a, b in zip(out, before)):
                return out
            before = out
        x = [corrected[0] + tick * corrected[1] + tick * tick / 2 * corrected[2], corrected[1] + tick * corrected[2], corrected[2]]
        y *= turn
    raise AssertionError("the recursion does not settle")


class Observer(ProgramTest):
    def table(self, path):
        rows = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")]
        return [dict(zip(rows[0], map(float, row))) for row in rows[1:]]

    def test_the_plot_is_what_the_recursion_does_to_sines(self):
        here = {"cwd": self.folder}
        for robot, joint, tick, resolution, jerk in (("rrr", 3, 1e-3, "[1e-4, 2e-4, 5e-5]", "[100, 100, 900]"),
                                                     ("rpr", 2, 2e-3, "[1e-4, 1e-5 m, 1e-4]", "[50, 20 m/s^3, 50]")):
            (self.folder / "observed.yaml").write_text(SCENARIO.format(robot=robot, resolution=resolution, jerk=jerk, tick=tick))
            self.done("linearize", "observed.yaml", "--observer", joint, "--from", "1Hz", "--bode", "bode.csv", **here)
            numbers = [float(text.split()[0]) for text in (resolution.strip("[]").split(",")[joint - 1], jerk.strip("[]").split(",")[joint - 1])]
            k = kalman_gain(tick, *numbers)
            rows = self.table(self.folder / "bode.csv")
            self.assertAlmostEqual(rows[-1]["frequency"] * tick / 0.495, 1, places=9)  # up to the Nyquist frequency
            for row in rows[::40]:
                for name, value in zip(("position", "speed", "acceleration"), answer_to_sine(k, tick, row["frequency"])):
                    found = 10 ** (row[f"{name}_db"] / 20) * cmath.exp(1j * math.radians(row[f"{name}_deg"]))
                    self.assertLess(abs(found / value - 1), 1e-5, (robot, name, row["frequency"]))
            answer = self.done("linearize", "observed.yaml", "--observer", joint, "--json", **here).json
            for one, gain in zip(answer["observer"], k):
                self.assertAlmostEqual(one["gain"] / gain, 1, delta=1e-8)

    def test_an_encoder_twice_as_rough_is_followed_less_far_and_the_page_shows_it(self):
        here = {"cwd": self.folder}
        far = []
        for resolution in ("[1e-4, 1e-4, 1e-4]", "[2e-4, 2e-4, 2e-4]"):
            (self.folder / "observed.yaml").write_text(SCENARIO.format(robot="rrr", resolution=resolution, jerk="[100, 100, 100]", tick=1e-3))
            answer = self.done("linearize", "observed.yaml", "--observer", "1", "--json", **here).json
            far.append([one["bandwidth"] for one in answer["observer"]])
        for fine, rough in zip(*far):  # the bandwidth goes with the third root of jerk over resolution
            self.assertAlmostEqual(fine / rough / 2 ** (1 / 3), 1, delta=0.06)
        said = self.done("linearize", "observed.yaml", "--observer", "1", "--page", "page", **here).out
        self.assertIn("acceleration", said)
        self.assertIn("Kalman observer", (self.folder / "page" / "index.html").read_text())

    def test_mistakes_are_named(self):
        here = {"cwd": self.folder}
        (self.folder / "observed.yaml").write_text(SCENARIO.format(robot="rrr", resolution="[1e-4, 1e-4, 1e-4]", jerk="[9, 9, 9]", tick=1e-3))
        self.refused(2, "linearize", "observed.yaml", "--observer", "4", says="a joint from 1 to 3", **here)
        self.refused(2, "linearize", "observed.yaml", "--observer", "elbow", says="--observer", **here)
        self.refused(2, "linearize", "observed.yaml", "--observer", "1", "--to", "600Hz", says="Nyquist", **here)
        self.refused(2, "linearize", "observed.yaml", "--observer", "1", "--set", "controller.observer.kind=none", says="has no observer", **here)


if __name__ == "__main__":
    main()
