"""Logs in every format give every verb the same numbers; hostile ones end soon, with a sentence."""
import lzma
import resource
import subprocess
import time

from motions import Logs
from program import PROGRAM, ROOT, ProgramTest, main

SHAKEN = ROOT / "scenarios" / "rrr_shaken.yaml"
GIVEN = ("--friction", "coulomb_viscous:0.01", "--no-rotors", "--reference-weight", "1")  # nothing is left to choose: it is the reading that is tested


class LogFormats(ProgramTest):
    def test_every_verb_that_reads_a_log_reads_all_of_its_formats(self):
        out = self.folder / "out"
        self.done("simulate", SHAKEN, "--set", "run.duration=6s", "--npz", "--mcap", "-o", out)
        (out / "log.csv.xz").write_bytes(lzma.compress((out / "log.csv").read_bytes(), preset=1))
        answers = {}
        for name in ("log.csv", "log.csv.xz", "log.npz", "log.mcap"):
            log, page = out / name, self.folder / "page.html"
            answers[name] = [self.done("validate", "rrr", log, "--json").out.replace(name, "LOG"),
                             self.done("identify", "rrr", log, *GIVEN, "--json").out.replace(name, "LOG"),
                             self.done("frf", log, "--input", "tau1", "--output", "q1", "--json").out.replace(name, "LOG"),
                             self.done("report", log, "-o", page, "--json").json["samples"]]
        for name, answer in answers.items():
            self.assertEqual(answer, answers["log.csv"], name)

    def test_a_bomb_ends_soon_and_leaves_nothing_behind(self):
        bomb, packer = self.folder / "bomb.csv.xz", lzma.LZMACompressor(preset=0)
        with open(bomb, "wb") as file:
            file.write(packer.compress(b"time [s],q1,q2,q3,tau1,tau2,tau3\n"))
            rows = b"# " + b"0" * 1_000_000 + b"\n"
            for _ in range(200):
                file.write(packer.compress(rows))
            file.write(packer.flush())
        begun = time.monotonic()
        self.refused(2, "validate", "rrr", bomb, says=[str(bomb), "grows to more than 1000 times its size", "hint"])
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(self.left_in_folder(), ["bomb.csv.xz"])

    def test_a_small_report_needs_little_memory(self):
        out = self.folder / "out"
        self.done("simulate", ROOT / "scenarios" / "rrr_pd_step.yaml", "--set", "run.duration=0.05s", "-o", out)
        limit = 512 << 20
        done = subprocess.run([PROGRAM, "report", str(out)], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_out_of_memory_is_a_sentence_with_a_hint(self):
        log, limit = self.folder / "log.csv", 200 << 20
        with open(log, "w") as file:
            file.write("time [s]," + ",".join(f"c{i}" for i in range(100)) + "\n")
            row = "," + ",".join("0" for _ in range(100)) + "\n"
            for k in range(400_000):
                file.write(str(k) + row)
        done = subprocess.run([PROGRAM, "report", str(log)], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, "^error: out of memory\n  hint: ask for less")


class HoweverItIsWritten(Logs):
    """A table is the same log whatever a recorder's habits are."""

    def parameters(self, text, name="log.csv"):
        path = self.folder / name
        path.write_text(text, newline="")
        answer = self.done("identify", "rrr", path, *GIVEN, "--json")
        return [p["estimate"] for p in answer.json["parameters"]], " ".join(answer.json["log"])

    @staticmethod
    def text(header, rows, separator=","):
        return separator.join(header) + "\n" + "\n".join(separator.join(map(str, row)) for row in rows) + "\n"

    def test_all_give_the_same_arm(self):
        names = ["time", "q1", "q2", "q3", "tau1", "tau2", "tau3"]
        rows = self.rows
        plain = self.text(names, rows)
        expected, _ = self.parameters(plain)
        joints = ("waist", "shoulder", "elbow")
        clock = 1_700_000_000

        def date(t):
            return f"2024-02-28T23:59:{50 + t:09.6f}Z" if t < 10 else f"2024-02-29T00:00:{t - 10:09.6f}Z"

        written = {
            "brackets": self.text(["t", "q[0]", "q[1]", "q[2]", "tau[0]", "tau[1]", "tau[2]"], rows),
            "units in brackets": self.text(["t [s]"] + [f"{x}[{i}] [{u}]" for x, u in (("q", "rad"), ("tau", "N m")) for i in range(3)], rows),
            "PlotJuggler": self.text(["__time"] + [f"/joint_states/{j}/{x}" for x in ("position", "effort") for j in joints],
                                     [[clock + r[0], *r[1:]] for r in rows]),
            "nanoseconds": self.text(["stamp_ns"] + names[1:], [[round(r[0] * 1e9), *r[1:]] for r in rows]),
            "two columns": self.text(["header.stamp.sec", "header.stamp.nanosec"] + names[1:],
                                     [[clock + int(r[0]), round(r[0] % 1 * 1e9), *r[1:]] for r in rows]),
            "dates": self.text(names, [[date(r[0]), *r[1:]] for r in rows]),
            "index": self.text([""] + names, [[k, *r] for k, r in enumerate(rows)]),
            "trailing comma": plain.replace("\n", ",\n"),
            "units below": plain.replace("\n", "\ns,rad,rad,rad,Nm,Nm,Nm\n", 1),
            "decimal commas": self.text(names, [[str(x).replace(".", ",") for x in r] for r in rows], ";"),
        }
        for habit, text in written.items():
            with self.subTest(habit):
                found, _ = self.parameters(text)
                for a, b in zip(expected, found):
                    self.assertAlmostEqual(a, b, delta=1e-5 * max(map(abs, expected)))

    def test_a_recorder_that_was_killed(self):
        names = ["time", "q1", "q2", "q3", "tau1", "tau2", "tau3"]
        expected, _ = self.parameters(self.text(names, self.rows[:-1]))
        for end in ("20.0,0.1,0.2\n", "20.0,0.1,0.2", "20.0,0.1,0.2,0.1,1,2,1e"):
            with self.subTest(end):
                found, said = self.parameters(self.text(names, self.rows[:-1]) + end)
                self.assertEqual(found, expected)
                self.assertIn("The log ends early: the file ends within line 2002", said)
        broken = self.text(names, self.rows).split("\n")
        broken[100] = "1,2"
        self.refused(2, "identify", "rrr", self.write_text("\n".join(broken)), says="log.csv:101")

    def write_text(self, text):
        (self.folder / "log.csv").write_text(text)
        return self.folder / "log.csv"

    def test_json_is_named(self):
        self.refused(2, "identify", "rrr", self.write_text('{"time": [0, 1], "q1": [0, 1]}'), says="this is JSON")


if __name__ == "__main__":
    main()
