"""tune, as a person would run it: one controller for two postures, and mistakes that are named."""
import cmath
import math

from program import ProgramTest, main


def responses(path):
    """Two postures of a sampled double integrator with a mode of opposite sign, as `frf -o` writes them."""
    with open(path, "w") as file:
        file.write("log,frequency,re,im,coherence\n")
        for log, mode in ((1, 85), (2, 95)):
            for k in range(1, 1600):
                s, w = 2j * math.pi * 0.25 * k, 2 * math.pi * mode
                P = (1 / (s * s) - 0.5 / (s * s + 0.04 * w * s + w * w)) * (1 - cmath.exp(-s * 1e-3)) / (s * 1e-3)
                file.write(f"{log},{0.25 * k},{P.real!r},{P.imag!r},0.99\n")


class Tune(ProgramTest):
    def test_the_margins_hold_in_every_posture_and_the_worst_is_named(self):
        table = self.folder / "frf.csv"
        responses(table)
        answer = self.done("tune", table, "--json").json
        self.assertEqual(len(answer["postures"]), 2)
        for posture in answer["postures"]:
            self.assertGreaterEqual(posture["gain_margin_db"], 6)
            self.assertGreaterEqual(posture["phase_margin"], math.radians(30))
        self.assertIn(answer["worst"], [posture["posture"] for posture in answer["postures"]])
        self.assertTrue(any(80 < notch["frequency"] < 100 for notch in answer["filters"] if notch["kind"] == "notch"))
        self.assertIn("worst posture", self.done("tune", table, "--integral").out)

    def test_mistakes_are_named(self):
        table = self.folder / "frf.csv"
        responses(table)
        self.refused(1, "tune", table, "--phase-margin", "89deg", says=["no controller keeps the margins", "hint"])
        self.refused(2, "tune", self.folder / "none.csv", says="none.csv")
        bad = self.folder / "bad.csv"
        bad.write_text("frequency,re\n1,2\n")
        self.refused(2, "tune", bad, says="bad.csv")


if __name__ == "__main__":
    main()
