"""frf, as a person would run it: a machine that is known is found again, and bad logs are refused."""
import cmath
import math
import random

from program import ProgramTest, main


def loop(path, frequency=25.0, damping=0.03, seconds=60, seed=1):
    """A sampled oscillator y(z) in a loop u = v - y/2, as a log of 500 samples per second."""
    source = random.Random(seed)
    w, h = 2 * math.pi * frequency, 0.002
    z = cmath.exp(complex(-damping * w, w * math.sqrt(1 - damping**2)) * h)
    a1, a2 = -2 * z.real, abs(z) ** 2
    u1 = u2 = y1 = y2 = 0.0
    with open(path, "w") as file:
        file.write("time [s],v [N m],u [N m],y [rad]\n")
        for k in range(int(seconds / h)):
            y = 0.01 * (u1 + u2) - a1 * y1 - a2 * y2
            v = source.gauss(0, 1)
            u = v - 0.5 * (y + source.gauss(0, 0.02))
            file.write(f"{k * h:.3f},{v!r},{u!r},{y!r}\n")
            u1, u2, y1, y2 = u, u1, y, y1


class Frf(ProgramTest):
    def test_the_mode_of_a_loop_is_found_in_every_posture(self):
        logs = []
        for number, frequency in enumerate((25.0, 31.0)):
            logs.append(self.folder / f"log{number}.csv")
            loop(logs[-1], frequency, seed=number + 1)
        options = ("--input", "u", "--output", "y", "--excitation", "v", "--segment", "4s")
        answers = self.done("frf", *logs, *options, "--json", "-o", self.folder / "frf.csv").json
        for answer, frequency in zip(answers, (25.0, 31.0)):
            (mode,) = [m for m in answer["resonances"] if not m["anti"] and m["frequency"] < 100]
            self.assertLess(abs(mode["frequency"] / frequency - 1), 0.01)
            self.assertLess(abs(mode["damping"] - 0.03), 0.006)
            self.assertGreater(answer["indirect_reliable"], 0.9)
        self.assertIn("dependence on the posture", self.done("frf", *logs, *options).out)
        self.assertTrue((self.folder / "frf.csv").read_text().startswith("log,frequency,re,im,"))

    def test_mistakes_are_named(self):
        log = self.folder / "log.csv"
        loop(log, seconds=2)
        self.refused(2, "frf", log, says=["--input is required"])
        self.refused(2, "frf", log, "--input", "u", "--output", "z", says=["log.csv", "'z'"])
        self.refused(2, "frf", log, "--input", "u", "--output", "y", "--segment", "5s", says="less than one segment")
        self.refused(2, "frf", self.folder / "none.csv", "--input", "u", "--output", "y", says="none.csv")
        alone = self.done("frf", log, "--input", "u", "--output", "y", "--segment", "1.5s").out
        self.assertIn("a single segment has a coherence of 1 whatever the noise", alone)
        self.assertNotIn("% of the lines", alone)
        lines = log.read_text().splitlines()
        gap = self.folder / "gap.csv"
        gap.write_text("\n".join(lines[:400] + lines[430:]) + "\n")
        self.refused(2, "frf", gap, "--input", "u", "--output", "y", "--segment", "0.5s", says="gap.csv")


if __name__ == "__main__":
    main()
