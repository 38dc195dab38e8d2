"""Names, texts and paths from outside: they neither end a line in what is written nor act on a terminal."""
import csv
import os
import shutil

from program import ROOT, ProgramTest, main, on_a_terminal

ARM = (ROOT / "arms" / "rpr.yaml").read_text(encoding="utf-8")
RAW = ("\033[31m", "\u009b31m", "\u202e", "\u2066", "\x07")


class Names(ProgramTest):
    def test_a_name_with_a_line_break_is_refused_by_every_reader(self):
        urdf = self.done("export", "rpr", "--format", "urdf").out
        bad = self.folder / "bad.urdf"
        for code in ("&#10;", "&#x85;", "&#x2028;", "&#x202e;", "&#x9b;", "&#27;"):
            bad.write_text(urdf.replace('<robot name="rpr"', f'<robot name="x{code}int evil(){{return 1;}}//"'))
            self.refused(2, "derive", bad, "--what", "gravity", says=["bad.urdf:2:", "control character"])

    def test_a_joint_with_quotes_runs_and_its_log_is_read_back(self):
        arm, scenario, out = (self.folder / name for name in ("arm.yaml", "s.yaml", "out"))
        name = 'left "A", [x]'
        arm.write_text(ARM.replace("- name: theta1", f"- name: '{name}'", 1), encoding="utf-8")
        scenario.write_text("scenario: quotes\nrobot: arm.yaml\nreference: {kind: hold}\n"
                            "controller: {kind: joint_pd, kp: [80, 80, 80], kd: [6, 6, 6]}\nrun: {duration: 20 ms, tick: 1 ms}\n")
        self.done("simulate", scenario, "-o", out)
        with open(out / "log.csv", encoding="utf-8", newline="") as lines:
            header = next(csv.reader(line for line in lines if not line.startswith("#")))
        self.assertIn(f"u_{name} [N m]", header)
        self.done("report", out / "log.csv", "-o", self.folder / "page")

    def test_nothing_from_outside_acts_on_the_terminal(self):
        table = self.folder / "t.csv"
        table.write_bytes(b"time,\xc2\x9b31m\xff\n0,1\n")
        commands = [("validate", "rrr", table), ("report", table)]
        for text in RAW:
            commands += [("show", f"no{text}.yaml"), (f"ver{text}b",), ("show", "rrr", f"--op{text}"),
                         ("export", "rrr", "-o", self.folder / f"arm{text}.yaml")]
        for command in commands:
            seen = on_a_terminal(*command)
            for text in RAW:
                self.assertNotIn(text, seen, command)
        self.assertIn("written:", on_a_terminal("export", "rrr", "-o", self.folder / f"arm{RAW[0]}.yaml"))

    def test_an_index_links_to_folders_below_it_whatever_they_are_called(self):
        self.done("simulate", ROOT / "scenarios" / "rrr_pd_step.yaml", "--set", "run.duration=10ms", "-o",
                  self.folder / "all" / "javascript:alert(1)")
        shutil.copytree(self.folder / "all" / "javascript:alert(1)", self.folder / "all" / "a b%#?")
        self.done("report", self.folder / "all")
        page = (self.folder / "all" / "index.html").read_text(encoding="utf-8")
        self.assertIn('"link":"./javascript%3Aalert(1)/index.html"', page)
        self.assertIn('"link":"./a%20b%25%23%3F/index.html"', page)

    def test_files_that_derive_and_export_write_are_named(self):
        for command in (("derive", "rpr", "--what", "gravity", "--effort", "0"), ("export", "rpr"),
                        ("derive", "rpr", "--symbolic", "--what", "gravity")):
            path = self.folder / "written"
            self.assertEqual(self.done(*command, "-o", path).out, f"  written: {path}\n")
            self.assertEqual(self.done(*command, "-o", "-").out, path.read_text(encoding="utf-8"))

    def test_long_derivations_say_how_far_they_are(self):
        seen = on_a_terminal("derive", "ur5", "--what", "inverse-dynamics,gravity", "--effort", "0.3", "-o", self.folder / "a.hpp")
        self.assertRegex(seen, r"\[#*-*\] +\d+ %   (inverse-dynamics|gravity)")

    def test_a_shared_object_is_written_whole_in_its_place_or_not_at_all(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler")
        victim, target = self.folder / "victim", self.folder / "k.so"
        victim.write_text("mine")
        os.symlink(victim, self.folder / "k.so.new")
        command = ("derive", "rpr", "--build", "--effort", "0", "-o")
        wrapper = self.folder / "wrap"
        wrapper.write_text('#!/bin/sh\nexec "$@"\n')
        wrapper.chmod(0o755)
        self.done(*command, target, env={"CXX": f"{wrapper} c++"})
        self.assertEqual(victim.read_text(), "mine")
        self.assertFalse(target.is_symlink())
        kept = self.left_in_folder()
        self.refused(2, *command, self.folder / "no" / "k.so", says=["k.so: cannot be written", "folder"])
        self.refused(2, *command, self.folder, says=["is a folder"])
        self.refused(2, *command, target, env={"CXX": "false"}, says=["compiler 'false'"])
        self.refused(2, *command, target, env={"TMPDIR": str(self.folder / "no")}, says=["TMPDIR"])
        self.assertEqual(self.left_in_folder(), kept)


if __name__ == "__main__":
    main()
