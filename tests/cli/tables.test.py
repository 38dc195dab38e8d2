"""Many states at once: the same numbers as one by one, in constant memory, written whole or not at all."""
import os
import pty
import random
import re
import signal
import subprocess
import time
from math import pi

from program import PROGRAM, ROOT, ProgramTest, comma, main, run

STATES = {"forward-kinematics": "q", "jacobian": "q", "inverse-dynamics": "qva", "forward-dynamics": "qvt",
          "mass-matrix": "q", "coriolis": "qv", "gravity": "q", "energy": "qv", "operational-space": "qv",
          "regressor": "qva", "inverse-dynamics-derivatives": "qva", "forward-dynamics-derivatives": "qvt"}
COLUMN = {"q": "q", "v": "v", "a": "a", "t": "tau"}


def states(dof, rows, seed=1, letters="qvat"):
    draw = random.Random(seed)
    columns = [f"{COLUMN[letter]}{i}" for letter in letters for i in range(1, dof + 1)]
    return columns, [[draw.uniform(-3, 3) for _ in columns] for _ in range(rows)]


def table(columns, rows):
    return "\n".join([",".join(columns), *map(comma, rows)]) + "\n"


class Tables(ProgramTest):
    def test_a_row_of_a_table_is_the_same_state_alone(self):
        for arm, dof in [("rrr", 3), ("rpr", 3), ("panda", 7)]:
            columns, rows = states(dof, 3)
            for what, letters in STATES.items():
                with self.subTest(arm=arm, what=what):
                    answers = self.done("compute", what, arm, "--in", "-", text=table(columns, rows)).out.splitlines()
                    for row, answer in zip(rows, answers[1:]):
                        state = dict(zip(columns, row))
                        options = [word for letter in letters for word in
                                   (f"--{COLUMN[letter]}", comma(state[f"{COLUMN[letter]}{i}"] for i in range(1, dof + 1)))]
                        one = self.done("compute", what, arm, *options, "--json").json["result"]
                        numbers = [float(cell) for cell in answer.split(",")]
                        self.assertEqual(numbers, list(flat_values(one)))  # equal, not close: they read back exactly
                        alone = self.done("compute", what, arm, *options, "--out", "-").out.splitlines()
                        self.assertEqual(alone, [answers[0], answer])

    def test_tables_read_and_write_the_columns_of_the_manual(self):
        manual = (ROOT / "docs" / "command_line.md").read_text().splitlines()
        formats = [[cell.strip() for cell in line.split("|")[1:4]] for line in manual if line.startswith("| ")][1:]
        self.assertEqual({what for what, *_ in formats}, {*STATES, "inverse-kinematics"} - {"regressor"})
        every = lambda m: ",".join(f"{m[1]}{i}{j}" for i in range(1, int(m[2]) + 1) for j in range(1, int(m[3]) + 1))
        for what, reads, writes in formats:
            writes = re.sub(r"(\w+?)11,\.\.,\1(\d)(\d)", every, writes)  # dq11,..,dq33: a matrix, row by row
            with self.subTest(what):
                row = ",".join(["0.3", "0.2", "0.7"] * (len(reads.split(",")) // 3))
                answer = self.done("compute", what, "rrr", "--in", "-", text=f"{reads}\n{row}\n")
                self.assertEqual(answer.out.splitlines()[0], writes)
                self.assertEqual(answer.err, "")
                for column in reads.split(","):  # it needs every one of them
                    less = ",".join(other for other in reads.split(",") if other != column)
                    self.refused(2, "compute", what, "rrr", "--in", "-", text=f"{less}\n{row}\n",
                                 says=f"the column '{column}' is missing")

    def test_the_order_of_columns_does_not_matter_and_others_are_named(self):
        columns, rows = states(3, 5)
        straight = self.done("compute", "inverse-dynamics", "rrr", "--in", "-", text=table(columns, rows))
        turned = [[*reversed(row), 99] for row in rows]
        answer = self.done("compute", "inverse-dynamics", "rrr", "--in", "-",
                           text=table([*reversed(columns), "temperature"], turned))
        self.assertEqual(answer.out, straight.out)
        self.assertIn("warning: standard input: not used: column 'temperature'", answer.err)

    def test_windows_line_ends_quotes_comments_and_a_byte_order_mark_do_not_matter(self):
        columns, rows = states(3, 5)
        plain = table(columns, rows)
        dressed = "\ufeff# from a spreadsheet\r\n" + plain.replace("\n", "\r\n").replace("q1", '"q1"')
        a = self.done("compute", "gravity", "rrr", "--in", "-", text=plain)
        b = self.done("compute", "gravity", "rrr", "--in", "-", text=dressed)
        self.assertEqual(a.out, b.out)

    def test_accelerations_and_torques_are_inverse_to_each_other_through_two_tables(self):
        for arm, dof, extra in [("rrr", 3, []), ("panda", 7, []), ("rrr", 3, ["--with", "friction"]),
                                ("puma560", 6, ["--with", "rotor"]), ("puma560", 6, ["--with", "friction,rotor"]),
                                ("rpr", 3, ["--wrench", "1,2,3,0.1,0.2,0.3", "--payload", "0.5 kg,0,0,20 mm"])]:
            with self.subTest(arm=arm, extra=extra):
                columns, rows = states(dof, 20, letters="qva")
                tau = self.done("compute", "inverse-dynamics", arm, *extra, "--in", "-", text=table(columns, rows))
                both = [",".join([a, b]) for a, b in zip(table(columns, rows).splitlines(), tau.out.splitlines())]
                back = self.done("compute", "forward-dynamics", arm, *extra, "--in", "-", text="\n".join(both)).table
                # M(q) da is what the torques miss: compared on the scale of the torques, as ARCHITECTURE.md says
                again = [[*row[:2 * dof], *(back[f"a{i}"][k] for i in range(1, dof + 1))] for k, row in enumerate(rows)]
                tau_again = self.done("compute", "inverse-dynamics", arm, *extra, "--in", "-", text=table(columns, again))
                for i in range(1, dof + 1):
                    self.assertClose(tau_again.table[f"tau{i}"], tau.table[f"tau{i}"], 1e-11)

    def test_targets_have_a_row_a_solution_and_each_solution_reaches_its_target(self):
        for arm, dof, branches in [("rrr", 3, 4), ("rpr", 3, 4), ("planar3r", 3, 2), ("puma560", 6, 8), ("ur5e", 6, 8),
                                   ("panda", 7, 8)]:
            with self.subTest(arm):
                columns, rows = states(dof, 5, letters="q")
                if arm == "panda":
                    rows = [[0.3, -0.5, 0.2, -1.5, 0.1, 1.2, 0.4], [0, 0.5, 0, -2, 0, 2, 0]]  # within its limits
                poses = self.done("compute", "forward-kinematics", arm, "--in", "-", text=table(columns, rows))
                found = self.done("compute", "inverse-kinematics", arm, "--in", "-", text=poses.out)
                solutions = found.table
                self.assertEqual(list(solutions), ["row", "branch", *columns])
                if arm == "panda":  # at the redundancy of the guess, which is not that of these rows
                    self.assertEqual(set(solutions["row"]), {1, 2})
                else:
                    self.assertEqual(solutions["row"], [k for k in range(1, 6) for _ in range(branches)])
                    of_row = [sorted(solutions["branch"][k:k + branches]) for k in range(0, 5 * branches, branches)]
                    self.assertEqual(of_row, [list(range(branches))] * 5)
                    same = [[abs((solutions[name][k] - value + pi) % (2 * pi) - pi) if (arm, name) != ("rpr", "q2")
                             else abs(solutions[name][k] - value) for name, value in zip(columns, rows[int(row) - 1])]
                            for k, row in enumerate(solutions["row"])]
                    self.assertEqual(sum(max(differences) < 1e-9 for differences in same), 5)  # q itself is among them
                back = self.done("compute", "forward-kinematics", arm, "--in", "-", text=found.out).table
                target = poses.table
                wanted = {name: [numbers[int(row) - 1] for row in solutions["row"]] for name, numbers in target.items()}
                for name in ["x", "y", "z"]:
                    self.assertClose(back[name], wanted[name], 1e-9)
                if arm in ("rrr", "rpr"):
                    continue  # they reach positions
                turns = [abs(sum(back[name][k] * wanted[name][k] for name in ["qw", "qx", "qy", "qz"]))
                         for k in range(len(solutions["row"]))]  # q and -q are the same rotation
                self.assertClose(turns, [1] * len(turns))

    def test_targets_out_of_reach_have_no_row_and_are_counted(self):
        answer = self.done("compute", "inverse-kinematics", "rrr", "--in", "-", text="x,y,z\n0.3,0.3,0.7\n9,9,9\n")
        self.assertEqual(set(answer.table["row"]), {1})
        self.assertIn("1 of 2 targets have no solution, the first of them in row 2", answer.err)

    def test_half_a_quaternion_is_refused(self):
        self.refused(2, "compute", "inverse-kinematics", "ur5e", "--in", "-", text="x,y,z,qw,qx\n0,0,0,1,0\n",
                     says="the columns 'qy', 'qz' are missing")
        self.refused(2, "compute", "inverse-kinematics", "ur5e", "--in", "-", text="x,y,z,qw,qx,qy,qz\n0,0,0,2,0,0,0\n",
                     says=["standard input:2: the quaternion", "length 2"])

    def test_angles_that_look_like_degrees_are_mentioned_once(self):
        columns, rows = states(3, 4, letters="q")
        rows[1][0] = rows[2][1] = 90.0
        answer = self.done("compute", "gravity", "rrr", "--in", "-", text=table(columns, rows))
        self.assertEqual(answer.err.count("is it meant in degrees?"), 1)
        self.assertIn("standard input:3: q1 is 90 rad", answer.err)

    def test_a_million_rows_need_no_more_memory_than_a_thousand(self):
        columns, rows = states(3, 1000, letters="qva")
        head, block = ",".join(columns) + "\n", "".join(comma(row) + "\n" for row in rows)

        def peak_memory(blocks):
            child = subprocess.Popen([PROGRAM, "compute", "inverse-dynamics", "rrr", "--in", "-", "--out", "/dev/null"],
                                     stdin=subprocess.PIPE, text=True)
            child.stdin.write(head)
            for _ in range(blocks):
                child.stdin.write(block)
            child.stdin.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss  # [KiB]
        small, large = peak_memory(1), peak_memory(1000)
        self.assertLess(large, small + 1024)


class WrittenWholeOrNotAtAll(ProgramTest):
    def interrupted(self, with_signal):
        """Feeds rows until the program writes, then ends it with a signal."""
        result = self.folder / "result.csv"
        columns, rows = states(3, 1000, letters="q")
        child = subprocess.Popen([PROGRAM, "compute", "gravity", "rrr", "--in", "-", "--out", result],
                                 stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        child.stdin.write(",".join(columns) + "\n")
        for _ in range(20):
            child.stdin.write("".join(comma(row) + "\n" for row in rows))
        child.stdin.flush()
        deadline = time.monotonic() + 20
        while not any(name.startswith(".armature") for name in self.left_in_folder()):
            self.assertLess(time.monotonic(), deadline, "the temporary file never appeared")
            time.sleep(0.01)
        child.send_signal(with_signal)
        code = child.wait(timeout=20)
        child.stdin = None if child.stdin.closed else child.stdin
        child.stderr.close()
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        return code

    def test_an_interrupt_leaves_nothing(self):
        for with_signal in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(with_signal.name):
                self.assertEqual(self.interrupted(with_signal), -with_signal)
                self.assertEqual(self.left_in_folder(), [])

    def test_an_interrupt_leaves_the_file_of_before(self):
        (self.folder / "result.csv").write_text("yesterday\n")
        self.assertEqual(self.interrupted(signal.SIGINT), -signal.SIGINT)
        self.assertEqual(self.left_in_folder(), ["result.csv"])
        self.assertEqual((self.folder / "result.csv").read_text(), "yesterday\n")

    def test_an_error_in_the_last_row_leaves_the_file_of_before(self):
        result = self.folder / "result.csv"
        result.write_text("yesterday\n")
        columns, rows = states(3, 20_000, letters="q")
        self.refused(2, "compute", "gravity", "rrr", "--in", "-", "--out", result,
                     text=table(columns, rows) + "0,0,zero\n", says="standard input:20002:5: ")
        self.assertEqual(self.left_in_folder(), ["result.csv"])
        self.assertEqual(result.read_text(), "yesterday\n")

    def test_a_file_that_may_not_grow_is_an_error_and_leaves_nothing(self):
        columns, rows = states(3, 20_000, letters="q")
        self.refused(2, "compute", "gravity", "rrr", "--in", "-", "--out", self.folder / "result.csv",
                     text=table(columns, rows), limit_file_size=50_000, says="result.csv: cannot be written")
        self.assertEqual(self.left_in_folder(), [])

    def test_a_full_disk_is_an_error(self):
        columns, rows = states(3, 10, letters="q")
        self.refused(2, "compute", "gravity", "rrr", "--in", "-", "--out", "/dev/full", text=table(columns, rows),
                     says="/dev/full: cannot be written: No space left on device")

    def test_places_that_cannot_be_written_are_named(self):
        columns, rows = states(3, 10, letters="q")
        states_file = self.folder / "states.csv"
        states_file.write_text(table(columns, rows))
        compute = ("compute", "gravity", "rrr", "--in", states_file, "--out")
        self.refused(2, *compute, self.folder, says=[str(self.folder), "is a folder"])
        self.refused(2, *compute, self.folder / "no" / "result.csv", says="No such file or directory")
        self.refused(2, *compute, states_file, says="is both --in and --out")
        os.link(states_file, self.folder / "same.csv")
        self.refused(2, *compute, self.folder / "same.csv", says="is both --in and --out")
        self.refused(2, *compute, "", says="name of the output file is empty")
        self.assertEqual(self.left_in_folder(), ["same.csv", "states.csv"])

    def test_a_link_is_followed_and_permissions_are_kept(self):
        columns, rows = states(3, 10, letters="q")
        (self.folder / "real.csv").write_text("yesterday\n")
        os.chmod(self.folder / "real.csv", 0o640)
        os.symlink("real.csv", self.folder / "link.csv")
        self.done("compute", "gravity", "rrr", "--in", "-", "--out", self.folder / "link.csv", text=table(columns, rows))
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertEqual(len((self.folder / "real.csv").read_text().splitlines()), 11)
        self.assertEqual((self.folder / "real.csv").stat().st_mode & 0o777, 0o640)


class Terminal(ProgramTest):
    def on_terminal(self, arguments, text="", **env):
        """What the program writes to its error stream when that is a terminal."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=theirs, text=True, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **env})
        os.close(theirs)
        child.communicate(text)
        seen = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(ours)
        return seen.decode()

    def test_a_long_table_shows_progress_with_the_time_left_and_clears_it(self):
        columns, rows = states(7, 2000)
        path = self.folder / "states.csv"
        path.write_text(",".join(columns) + "\n" + "".join(comma(row) + "\n" for row in rows) * 100)
        seen = self.on_terminal(["compute", "inverse-dynamics", "panda", "--in", path, "--out", "/dev/null"])
        self.assertRegex(seen, r"\[#*-*\] +\d+ %   \d+ rows   \d+ s left")
        self.assertTrue(seen.endswith("\r\033[K"))
        quiet = self.on_terminal(["compute", "inverse-dynamics", "panda", "--in", path, "--out", "/dev/null"], TERM="dumb")
        self.assertEqual(quiet, "")

    def test_colour_is_for_terminals_that_want_it(self):
        wrong = ["compute", "gravity", "rrr", "--q", "x,0,0"]
        self.assertIn("\033[31merror:", self.on_terminal(wrong))
        self.assertNotIn("\033", self.on_terminal(wrong, NO_COLOR="1"))
        self.assertNotIn("\033", self.on_terminal(wrong, TERM="dumb"))
        self.assertNotIn("\033", run(*wrong, env={"NO_COLOR": ""}).err)


def flat_values(result):
    for value in result.values() if isinstance(result, dict) else result:
        if isinstance(value, (dict, list)):
            yield from flat_values(value)
        else:
            yield float(value)


main()
