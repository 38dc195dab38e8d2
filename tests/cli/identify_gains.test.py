"""identify --drive-gains: a payload that is known tells what a unit of each torque column is worth."""
import csv

from program import ROOT, ProgramTest, main

GAINS = (12.5, 8.0, 20.0)


class DriveGains(ProgramTest):
    def setUp(self):
        super().setUp()
        self.bare, self.loaded = self.folder / "bare.yaml", self.folder / "loaded.yaml"
        self.done("export", "rrr", "-o", self.bare)
        self.loaded.write_text(self.bare.read_text() + "\npayload: {mass: 3 kg, com: [0, 0, 50 mm], inertia: {about: com, xx: 0.005, yy: 0.005, zz: 0.005}}\n")

    def log(self, arm, name):
        """Simulated, the torques of joint i over GAINS[i], in a unit that the file does not name."""
        self.done("simulate", ROOT / "scenarios" / "rrr_shaken.yaml", "--set", f"robot={arm}", "-o", self.folder / name, timeout=300)
        with open(self.folder / name / "log.csv") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        columns = [cell.split(" ")[0] for cell in rows[0]]
        wanted = ["time"] + [f"q{i}_meas" for i in (1, 2, 3)] + [f"tau{i}_meas" for i in (1, 2, 3)]
        scale = (1, 1, 1, 1) + tuple(1 / k for k in GAINS)
        path = self.folder / f"{name}.csv"
        with open(path, "w") as file:
            file.write("time,q1,q2,q3,tau1,tau2,tau3\n")
            for row in rows[1:]:
                file.write(",".join(repr(float(row[columns.index(c)]) * s) for c, s in zip(wanted, scale)) + "\n")
        return path

    def test_gains_come_back_from_two_logs(self):
        carrying, free = self.log(self.loaded, "carrying"), self.log(self.bare, "free")
        options = ("identify", self.loaded, carrying, "--drive-gains", free)
        answer = self.done(*options, "--json", timeout=300).json
        told = 0
        for entry, gain in zip(answer["gains"], GAINS):
            if entry["determined"]:
                told += 1
                self.assertLess(abs(entry["gain"] / gain - 1), 0.05, entry)
        self.assertGreaterEqual(told, 2)
        self.assertIn("torque_scale: [", self.done(*options, timeout=300).out)
        self.refused(2, "identify", self.bare, carrying, "--drive-gains", free, says="describes no payload")


if __name__ == "__main__":
    main()
