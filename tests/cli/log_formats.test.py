"""Logs in every format give every verb the same numbers; hostile ones end soon, with a sentence."""
import lzma
import resource
import subprocess
import time

from program import PROGRAM, ROOT, ProgramTest, main

SHAKEN = ROOT / "scenarios" / "rrr_shaken.yaml"


class LogFormats(ProgramTest):
    def test_every_verb_that_reads_a_log_reads_all_of_its_formats(self):
        out = self.folder / "out"
        self.done("simulate", SHAKEN, "--npz", "--mcap", "-o", out)
        (out / "log.csv.xz").write_bytes(lzma.compress((out / "log.csv").read_bytes(), preset=1))
        answers = {}
        for name in ("log.csv", "log.csv.xz", "log.npz", "log.mcap"):
            log, page = out / name, self.folder / "page.html"
            answers[name] = [self.done("validate", "rrr", log, "--json").out.replace(name, "LOG"),
                             self.done("identify", "rrr", log, "--json").out.replace(name, "LOG"),
                             self.done("frf", log, "--input", "tau1", "--output", "q1", "--json").out.replace(name, "LOG"),
                             self.done("report", log, "-o", page, "--json").json["samples"]]
        for name, answer in answers.items():
            self.assertEqual(answer, answers["log.csv"], name)

    def test_a_bomb_ends_soon_and_leaves_nothing_behind(self):
        bomb, packer = self.folder / "bomb.csv.xz", lzma.LZMACompressor(preset=0)
        with open(bomb, "wb") as file:
            file.write(packer.compress(b"time [s],q1,q2,q3,tau1,tau2,tau3\n"))
            rows = b"# " + b"0" * 1_000_000 + b"\n"
            for _ in range(1000):
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


if __name__ == "__main__":
    main()
