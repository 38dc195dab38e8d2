"""What the program says of itself: help, man pages and completions, all from the same texts."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import unittest

from program import PROGRAM, ProgramTest, main

VERBS = "arms show check export compute derive excite import identify validate calibrate frf fit-drive tune simulate campaign merge linearize study report help".split()


def options_of(text):
    """The long options that a help text lists at the left."""
    return {name for line in text.splitlines() if re.match(r"  -", line) for name in re.findall(r"--[a-z-]+", line.split("  ")[1])}


class Help(ProgramTest):
    def test_help_is_a_verb_too(self):
        top = self.done("--help").out
        self.assertEqual(self.done("help").out, top)
        self.assertEqual(self.done().out, top)
        self.assertEqual([word for word in re.findall(r"^  ([a-z][a-z-]*) ", top, re.M) if word != "armature"], VERBS)
        for verb in VERBS:
            self.assertEqual(self.done("help", verb).out, self.done(verb, "--help").out)
        self.refused(2, "help", "simulat", says="did you mean 'simulate'?")
        self.refused(2, "help", "show", "--completion", "bash", says="exclude each other")

    def test_every_verb_has_a_chapter_examples_and_no_doubled_ellipsis(self):
        top = self.done("help").out
        for chapter in ["Describe an arm:", "Compute and derive:", "Excite and identify:", "Drives and control:", "Simulate:", "Report:"]:
            self.assertIn(f"\n{chapter}\n", top)
        for verb in VERBS:
            text = self.done("help", verb).out
            self.assertIn("\nExamples:\n", text)
            self.assertIn(f"Usage: armature {verb}", text)
            self.assertNotIn("... ...", text)
            self.assertIn("--json", text) if verb != "help" else None

    def test_lines_fit_the_width(self):
        texts = [("help",), ("simulate", "--help-keys"), *(("help", verb) for verb in VERBS)]
        for width in [48, 80, 110]:
            for words in texts:
                for line in self.done(*words, env={"COLUMNS": str(width)}).out.splitlines():
                    if len(line) > width:  # nothing that could be broken: a single word, or a quoted one
                        self.assertRegex(line, r"^\s*(\S+|Usage: .*|.*['\"`].*)$", f"{words} at {width}")

    def test_words_do_not_depend_on_the_width(self):
        for verb in VERBS:
            narrow, wide = (self.done("help", verb, env={"COLUMNS": width}).out.replace("\\\n", "").split() for width in ["48", "110"])
            self.assertEqual(narrow, wide)

    def test_a_terminal_says_how_wide_it_is(self):
        main_end, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        process = subprocess.Popen([PROGRAM, "help"], stdout=terminal, env=environment)
        os.close(terminal)
        text = b""
        try:
            while part := os.read(main_end, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        process.wait()
        os.close(main_end)
        longest = max(len(line) for line in text.decode().splitlines() if "`" not in line)
        self.assertLessEqual(longest, 60)
        self.assertGreater(longest, 48)

    def test_keys_can_be_asked_for_by_their_beginning(self):
        def keys(*words):
            return re.findall(r"^  (\S+)", self.done("simulate", "--help-keys", *words).out, re.M)
        every = keys()
        self.assertGreater(len(every), 150)
        self.assertEqual(keys("controller.k"), [key for key in every if key.startswith("controller.k")])
        self.assertIn("run.duration", keys("run"))
        self.assertEqual(keys("joint_damping"), ["controller.kd"])
        for kind in re.findall(r"\w+", re.search(r"\((\w+\s+\|.*?);", self.done("simulate", "--help-keys", "controller.kind").out, re.S)[1]):
            self.assertLessEqual(set(keys(kind)), set(every), kind)
        self.assertEqual(self.done("linearize", "--help-keys", "run").out, self.done("simulate", "--help-keys", "run").out)
        self.refused(2, "simulate", "--help-keys", "controler", says="did you mean 'controller'?")

    def test_nothing_before_the_verb_is_left_unread(self):
        self.refused(2, "--gravity", "0,0,0", "compute", "gravity", "rrr", "--q", "0,0,0",
                     says=["'--gravity' comes before the verb 'compute'", "`armature compute gravity rrr --q 0,0,0 --gravity 0,0,0`"])
        self.refused(2, "--json", "show", "rrr", says="`armature show rrr --json`")
        self.refused(2, "foo", "--bar", "show", "rrr", says="unknown verb 'foo'")
        self.refused(2, "--bar", says="no option '--bar'")
        self.refused(2, "-x", "show", "my robot.yaml", says="'my robot.yaml' -x")
        self.assertTrue(self.done("--version").out.startswith("armature "))


class Manual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.done("help", "--man", self.folder / "man1")
        self.pages = {path.name: path for path in (self.folder / "man1").iterdir()}

    def test_there_is_a_page_for_every_verb_with_every_option(self):
        self.assertEqual(sorted(self.pages), sorted(["armature.1", *(f"armature-{verb}.1" for verb in VERBS)]))
        for verb in VERBS:
            page = self.pages[f"armature-{verb}.1"].read_text().replace("\\-", "-")
            for option in options_of(self.done("help", verb).out):
                self.assertIn(f"\\fB{option}\\fR", page)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_shows_them_without_a_warning(self):
        for name, path in self.pages.items():
            shown = subprocess.run(["man", "--warnings", "-l", str(path)], capture_output=True, text=True, encoding="utf-8",
                                   env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANROFFSEQ": ""})
            if "No manual entry" in shown.stderr or "minimized" in shown.stdout:
                self.skipTest("man pages are switched off on this machine")
            self.assertEqual(shown.stderr, "", name)
            if name == "armature-compute.1":
                self.assertIn("inverse-dynamics", shown.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_nothing_to_say(self):
        for path in self.pages.values():
            said = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(path)], capture_output=True, text=True).stdout
            self.assertEqual([line for line in said.splitlines() if "missing date" not in line], [])


class Completion(ProgramTest):
    def offered(self, *words):
        files, *lines = self.done("help", "--complete", *words).out.splitlines()
        return files, [line.split("\t")[0] for line in lines]

    def test_verbs_options_quantities_arms_laws_and_keys_are_known(self):
        self.assertEqual(self.offered("")[1], [*VERBS, "--help", "--version"])
        self.assertEqual(self.offered("lin"), ("none", ["linearize"]))
        self.assertEqual(self.offered("compute", "inverse-dyn"), ("none", ["inverse-dynamics", "inverse-dynamics-derivatives"]))
        files, arms = self.offered("compute", "gravity", "")
        self.assertEqual(arms, [arm["name"] for arm in self.done("arms", "--json").json])
        self.assertEqual(files, "files yaml yml urdf")
        self.assertEqual(self.offered("compute", "gravity", "--q", "0,0,0", "puma")[1], ["puma560"])
        self.assertEqual(self.offered("derive", "rrr", "--lang", "c"), ("none", ["cpp", "c", "cuda"]))
        self.assertEqual(self.offered("derive", "rrr", "--lang=cu")[1], ["--lang=cuda"])
        self.assertEqual(self.offered("simulate", "")[0], "files yaml yml")
        self.assertEqual(self.offered("simulate", "x.yaml", "-o", "")[0], "folders")
        self.assertEqual(self.offered("simulate", "x.yaml", "--set", "contr")[1], ["controller."])
        self.assertIn("controller.kp=", self.offered("simulate", "x.yaml", "--set", "controller.")[1])
        self.assertEqual(self.offered("simulate", "x.yaml", "--set", "controller.kind=computed")[1], ["controller.kind=computed_torque"])
        self.assertEqual(self.offered("simulate", "--help-keys", "run.du")[1], ["run.duration"])
        self.assertIn("vandeven1986", self.offered("study", "van")[1])
        self.assertIn("simulate", self.offered("help", "")[1])
        self.assertEqual(self.offered("nonsense", ""), ("none", []))
        for verb in VERBS:
            self.assertEqual(set(self.offered(verb, "--")[1]), options_of(self.done("help", verb).out))

    def bash(self, line):
        """What bash would offer at the end of `line`, whose words are parted as readline does."""
        script = self.folder / "armature.bash"
        script.write_text(self.done("help", "--completion", "bash").out)
        words = re.findall(r"\"[^\"]*\"|[=:]|[^\s=:]+", line) + ([""] if line[-1] in " =" else [])
        done = subprocess.run(
            ["bash", "--norc", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _armature; printf "%s\\n" "${COMPREPLY[@]}"; '
             'complete -p armature', "bash", script, PROGRAM, *words[1:]], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        *offered, registered = done.stdout.splitlines()
        self.assertEqual(registered, "complete -F _armature armature")
        return sorted(word for word in offered if word)

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_completes(self):
        for name in ["mine.yaml", "mine.urdf", "mine.txt", "z z.yaml"]:
            (self.folder / name).write_text("")
        (self.folder / "minefield").mkdir()
        self.assertEqual(self.bash("armature compute inverse-dyn"), ["inverse-dynamics", "inverse-dynamics-derivatives"])
        self.assertEqual(self.bash("armature sim"), ["simulate"])
        self.assertEqual(self.bash("armature show mine"), ["mine.urdf", "mine.yaml", "minefield"])
        self.assertEqual(self.bash("armature show z"), ["z z.yaml"])
        self.assertEqual(self.bash("armature show pum"), ["puma560"])
        self.assertEqual(self.bash("armature simulate mine"), ["mine.yaml", "minefield"])
        self.assertEqual(self.bash("armature simulate mine.yaml -o mine"), ["minefield"])
        self.assertEqual(self.bash("armature simulate mine.yaml --set controller.kind=computed"), ["computed_torque"])
        self.assertIn("computed_torque", self.bash("armature simulate mine.yaml --set controller.kind="))
        self.assertEqual(self.bash('armature simulate mine.yaml --set "a=b c" --set run.dur'), ["run.duration="])
        self.assertEqual(self.bash("armature derive rrr --lang=cu"), ["cuda"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes(self):
        script = self.folder / "armature.fish"
        script.write_text(self.done("help", "--completion", "fish").out)
        for name in ["mine.yaml", "mine.txt"]:
            (self.folder / name).write_text("")

        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"set -p PATH {os.path.dirname(PROGRAM)}; source {script}; complete -C '{line}'"],
                                  capture_output=True, text=True, cwd=self.folder, env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual(done.stderr, "")
            return [word.split("\t")[0] for word in done.stdout.splitlines()]
        self.assertEqual(offered("armature compute inverse-dyn"), ["inverse-dynamics", "inverse-dynamics-derivatives"])
        self.assertEqual(offered("armature show pum"), ["puma560"])
        self.assertEqual(offered("armature simulate mi"), ["mine.yaml"])
        self.assertEqual(offered("armature simulate mine.yaml --set controller.kind=computed"), ["controller.kind=computed_torque"])

    def test_other_shells_are_refused(self):
        self.refused(2, "help", "--completion", "csh", says=["'csh'", "bash, zsh or fish"])


main()
