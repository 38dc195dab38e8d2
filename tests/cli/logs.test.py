"""Logs as recorders write them: every kind of file gives the same table, and stamps that jitter, repeat or are missing the same arm."""
import csv
import json
import lzma
import math
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import unittest

from motions import RATE, Logs
from program import ROOT, main, run

BAGS = pathlib.Path(__file__).parent / "bags.mjs"
SHARED = ROOT.parent / "shared" / "data" / "lwr4_raw"
START = 1_700_000_000_000_000_123  # [ns]
NAMES = ["shoulder", "elbow", "wrist"]  # in the order of the arm


def noise(seed):
    """Numbers in -1 .. 1, the same every time."""
    while True:
        seed = (seed * 1103515245 + 12345) % 2**31
        yield seed / 2**30 - 1


def nanoseconds(row):
    return START + round(row[0] * 1e9)


class Kinds(Logs):
    def rewritten(self, name, header, rows, separator=",", point="."):
        lines = [separator.join(header)] + [separator.join(x if isinstance(x, str) else repr(x).replace(".", point) for x in row) for row in rows]
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def table_of(self, path):
        """Rows of what import makes of the file, and the channels' names."""
        out = self.folder / "imported.csv"
        answer = self.done("import", path, "-o", out)
        self.assertIn("position:", answer.out)
        lines = [line for line in out.read_text().splitlines() if not line.startswith("#")]
        table = list(csv.reader(lines))
        return table[0], [[float(x) for x in row] for row in table[1:]]

    def same(self, path, order=(0, 1, 2, 3, 4, 5, 6)):
        """The file gives the rows of the plain log; `order` says which column is which."""
        _, rows = self.table_of(path)
        self.assertEqual(len(rows), len(self.rows))
        for expected, row in zip(self.rows, rows):
            for i, column in enumerate(order):
                self.assertAlmostEqual(expected[i], row[column], places=9)

    def test_csv_of_every_kind_gives_the_same_table(self):
        plain = ["time"] + [f"q{j}" for j in (1, 2, 3)] + [f"tau{j}" for j in (1, 2, 3)]
        self.same(self.rewritten("comma.csv", plain, self.rows))
        self.same(self.rewritten("semicolon.csv", plain, self.rows, ";", ","))
        self.same(self.rewritten("tabs.txt", plain, self.rows, "\t"))
        self.same(self.rewritten("blanks.txt", plain, self.rows, "  "))
        self.same(self.rewritten("numpy.txt", ["# time", *plain[1:]], self.rows, " "))
        epoch = [[f"{nanoseconds(r) // 10**9}.{nanoseconds(r) % 10**9:09d}", *r[1:]] for r in self.rows]
        self.same(self.rewritten("epoch.csv", plain, epoch))
        byte_order_mark = self.folder / "mark.csv"
        byte_order_mark.write_bytes(b"\xef\xbb\xbf" + (self.folder / "comma.csv").read_bytes().replace(b"\n", b"\r\n"))
        self.same(byte_order_mark)
        packed = self.folder / "packed.csv.xz"
        packed.write_bytes(lzma.compress((self.folder / "comma.csv").read_bytes()))
        self.same(packed)

    def test_a_table_of_rostopic_gives_the_same_table_joint_by_joint(self):
        order = [2, 0, 1]  # joints in another order, as joint_states often has them
        header = ["%time", "field.header.seq", "field.header.stamp", "field.header.frame_id", *(f"field.name{j}" for j in range(3)),
                  *(f"field.position{j}" for j in range(3)), *(f"field.effort{j}" for j in range(3))]
        rows = [[str(nanoseconds(r)), str(k), str(nanoseconds(r)), "base_link", *(NAMES[j] for j in order), *(r[1 + j] for j in order), *(r[4 + j] for j in order)]
                for k, r in enumerate(self.rows)]
        path = self.rewritten("rostopic.csv", header, rows)
        names, _ = self.table_of(path)
        self.assertEqual(names[1:4], [f"position_{NAMES[j]}" for j in order])
        self.same(path, [0, 2, 3, 1, 5, 6, 4])

    def test_rtde_tables_have_currents(self):
        header = ["timestamp", *(f"target_q_{j}" for j in range(3)), *(f"actual_q_{j}" for j in range(3)), *(f"actual_current_{j}" for j in range(3)),
                  *(f"target_moment_{j}" for j in range(3))]
        path = self.rewritten("rtde.csv", header, [[r[0], *r[1:4], *r[1:7], *r[4:7]] for r in self.rows], " ")
        names, _ = self.table_of(path)
        self.assertEqual(names, ["time [s]", "q1", "q2", "q3", "current1", "current2", "current3", "q1_ref", "q2_ref", "q3_ref"])
        self.same(path)
        answer = self.refused(2, "validate", "planar3r", path, says=["currents (actual_current_0 to actual_current_2)", "torque_scale"])
        self.assertEqual(answer.out, "")
        (self.folder / "map.yaml").write_text("torque_scale: [1, 1, 1]\n")  # a map names only what differs
        error = json.loads(self.done("validate", "rrr", path, "--map", self.folder / "map.yaml", "--json").out)
        self.assertLess(error["relative_error"], 0.01)

    def test_our_own_formats_give_the_same_table(self):
        log = self.write(self.header, self.rows)
        for kind in ("npz", "mcap"):
            self.done("import", log, "-o", self.folder / f"log.{kind}")
            self.same(self.folder / f"log.{kind}")

    def test_bags_written_by_others_give_the_same_table(self):
        if shutil.which("node") is None or not (ROOT / "web" / "node_modules" / "@mcap").is_dir():
            self.skipTest("needs node and the packages of web/ (npm ci in web/)")
        messages = [{"stamp": str(nanoseconds(r)), "names": NAMES[::-1], "position": r[3:0:-1], "velocity": [], "effort": r[6:3:-1]} for r in self.rows]
        (self.folder / "rows.json").write_text(json.dumps(messages))
        subprocess.run(["node", str(BAGS), str(self.folder)], check=True)
        for kind in ("none", "zstd", "lz4"):
            self.same(self.folder / f"{kind}.mcap", [0, 3, 2, 1, 6, 5, 4])
        with sqlite3.connect(self.folder / "bag.db3") as bag:
            bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL)")
            bag.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)")
            bag.execute("INSERT INTO topics VALUES (1, '/chatter', 'std_msgs/msg/String', 'cdr'), (2, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr')")
            bag.execute("INSERT INTO messages VALUES (NULL, 1, 5, x'010203')")
            for stamp, data in json.loads((self.folder / "messages.json").read_text()):
                bag.execute("INSERT INTO messages VALUES (NULL, 2, ?, ?)", (int(stamp) + 500_000, bytes.fromhex(data)))
        bag.close()
        self.same(self.folder / "bag.db3", [0, 3, 2, 1, 6, 5, 4])
        # the arm's joints are found by their names
        arm = (ROOT / "arms" / "rrr.yaml").read_text()
        joints = [line.split("name:")[1].strip(" ,") for line in arm.splitlines() if line.lstrip().startswith("- name:")]
        if len(joints) == 3:
            for message in messages:
                message["names"] = joints[::-1]
            (self.folder / "rows.json").write_text(json.dumps(messages))
            subprocess.run(["node", str(BAGS), str(self.folder)], check=True)
            error = json.loads(self.done("validate", "rrr", self.folder / "zstd.mcap", "--json").out)
            self.assertLess(error["relative_error"], 0.01)

    def test_damaged_bags_are_refused(self):
        bag = self.folder / "bag.db3"
        bag.write_bytes(b"SQLite format 3\0" + bytes(500))
        self.refused(2, "import", bag, says=["bag.db3", "hint:"])
        bag.write_bytes(b"nothing")
        self.refused(2, "import", bag, says="is no SQLite database")
        chunk = struct.pack("<QQQI", 0, 0, 2**40, 0) + struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", 8) + bytes(8)
        record = struct.pack("<BQ", 1, 8) + bytes(8) + struct.pack("<BQ", 6, len(chunk)) + chunk
        bomb = self.folder / "bomb.mcap"
        bomb.write_bytes(b"\x89MCAP0\r\n" + record)
        self.refused(2, "import", bomb, says=["a chunk grows from 8 to 1099511627776 bytes", "hint:"])

    def test_a_file_without_positions_is_named(self):
        path = self.rewritten("other.csv", ["time", "temperature"], [[0, 1], [1, 2]])
        self.refused(2, "import", path, says=["no columns look like the positions", "temperature", "map"])


class Stamps(Logs):
    def identified(self, *logs, options=()):
        answer = self.done("identify", "rrr", *logs, "--friction", "three_sigmoid:50,8,1", "--json", *options)
        return {p["name"]: p for p in json.loads(answer.out)["parameters"] if p["determined"]}

    def agree(self, a, b, share):
        """Each estimate lies within `share` of the half width of the other's interval."""
        self.assertEqual(a.keys(), b.keys())
        for name, p in a.items():
            low, high = p["interval_95"]
            self.assertLessEqual(abs(p["estimate"] - b[name]["estimate"]), share * (high - low) / 2, name)

    def test_stamps_that_jitter_give_the_arm_of_the_regular_log(self):
        regular = self.identified(self.write(self.header, self.rows))
        jitter = noise(1)
        stamps = [[START / 1e9 + r[0] + 0.002 * next(jitter), *r[1:]] for r in self.rows]  # the rows are regular, their stamps are not
        log = self.write(["time", *self.header[1:]], [[f"{r[0]:.6f}", *r[1:]] for r in stamps], "stamps.csv")
        self.agree(regular, self.identified(log), 0.2)
        self.assertIn("rows taken as equally spaced at 100 Hz", " ".join(self.done("validate", "rrr", log).out.split()))

    def test_rows_at_jittering_times_give_the_arm_of_the_regular_log(self):
        """Positions and torques of a log at 1 kHz, taken at uneven times around every 10 ms."""
        regular = self.identified(self.write(self.header, self.rows))
        jitter = noise(2)
        def between(t):  # the truth of the motion at any time, by the cubic through four rows of the regular log
            k = min(max(int(t * RATE), 1), len(self.rows) - 3)
            u = t * RATE - k
            w = [-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2, -(u + 1) * u * (u - 2) / 2, (u + 1) * u * (u - 1) / 6]
            return [sum(w[i] * self.rows[k - 1 + i][c] for i in range(4)) for c in range(7)]
        rows = [[t, *between(t)[1:]] for t in (r[0] + 0.003 * next(jitter) for r in self.rows[2:-2])]
        log = self.write(self.header, rows, "uneven.csv")
        self.assertIn("resampled at 100 Hz", " ".join(self.done("validate", "rrr", log).out.split()))
        self.agree(regular, self.identified(log), 1.0)

    def test_missing_values_gaps_and_repeated_rows_are_said_and_do_no_harm(self):
        regular = self.identified(self.write(self.header, self.rows))
        rows = [list(r) for r in self.rows]
        rows[100][5] = "nan"
        rows[150][2] = ""
        rows[700], rows[701] = rows[701], rows[700]
        rows.insert(300, rows[300])
        del rows[900:930]
        log = self.write(self.header, rows, "holes.csv")
        said = " ".join(self.done("validate", "rrr", log).out.split())
        self.assertIn("2 rows that repeat another or come late left out", said)
        self.assertIn("2 rows with a missing value left out", said)
        self.assertIn("1 gap splits the log into 2 segments", said)
        self.agree(regular, self.identified(log), 1.0)

    def test_filters_start_anew_behind_a_gap(self):
        """A step of all positions between two recordings is no motion."""
        rows = [list(r) for r in self.rows]
        later = [[r[0] + 100, r[1] + 0.5, *r[2:]] for r in rows]  # joint 1 turns about the vertical: no torque changes
        error = json.loads(self.done("validate", "rrr", self.write(self.header, rows + later, "two.csv"), "--json").out)
        self.assertLess(error["relative_error"], 0.01)

    def test_two_recordings_in_one_file_are_two_runs(self):
        said = " ".join(self.done("validate", "rrr", self.write(self.header, self.rows + self.rows, "glued.csv")).out.split())
        self.assertIn("1 restart of the clock splits the log into 2 segments", said)
        self.assertIn("Run 2 (", said)

    def test_several_logs_and_windows(self):
        first = self.write(self.header, self.rows[:900], "first.csv")
        second = self.write(self.header, self.rows[1000:], "second.csv")
        both = self.identified(first, second)
        whole = self.identified(self.write(self.header, self.rows))
        self.agree(whole, both, 1.0)
        out = self.folder / "errors.csv"
        self.done("validate", "rrr", first, second, "--window", "2s..5s", "--window", "12s..15s", "-o", out)
        times = [float(line.split(",")[0]) for line in out.read_text().splitlines() if line[:1].isdigit()]
        self.assertTrue(all(2 <= t <= 5 or 12 <= t <= 15 for t in times), (min(times), max(times)))
        self.assertEqual(times, sorted(times))
        self.refused(2, "validate", "rrr", first, second, "--window", "50s..60s", says="no log has any time in the window")
        self.refused(2, "validate", "rrr", first, "--window", "5s", says="2.5s..20s")
        self.refused(2, "identify", "rrr", first, second, "--estimator", "oe", says="one unbroken stretch of motion is needed")
        self.refused(2, "identify", "rrr", first, "--window", "1s..3s", "--window", "5s..8s", "--estimator", "oe", says="one unbroken stretch")
        slow = self.write(self.header, self.rows[::2], "slow.csv")
        self.refused(2, "validate", "rrr", first, slow, says=["is sampled at 50 Hz", "100 Hz"])

    def test_readings_come_before_the_simulated_truth(self):
        rows = [[*r, *r[1:4], *r[4:]] for r in self.rows]
        header = [*self.header, *(f"q{j}_meas [rad]" for j in (1, 2, 3)), *(f"tau{j}_meas [N m]" for j in (1, 2, 3))]
        said = " ".join(self.done("validate", "rrr", self.write(header, rows)).out.split())
        self.assertIn("positions q1_meas to q3_meas, torques tau1_meas to tau3_meas (readings of the sensors, not q1", said)

    def test_missing_columns_are_answered_with_a_map(self):
        header = [name.replace("tau", "load") for name in self.header]
        answer = self.refused(2, "identify", "rrr", self.write(header, self.rows), says=["the column 'tau1' is missing", 'position: "q{}"', "torque:"])
        self.assertEqual(answer.out, "")

    @unittest.skipUnless(SHARED.is_dir(), "the measured logs are not here")
    def test_raw_files_of_a_measured_arm_are_read_as_they_are(self):
        urdf = self.folder / "lwr4.urdf"  # a joint of the file has two origins
        lines = (SHARED / "kuka_lwr4.urdf").read_text().splitlines()
        urdf.write_text("\n".join(lines[:53] + lines[54:]))
        logs = [SHARED / f"run_{k}.csv.xz" for k in (1, 2, 3)]
        told = run("validate", urdf, *logs, "--window", "2.5s..25s", "--json")
        self.assertEqual(told.code, 1, told.err)  # the wrist of the described arm, without friction, is worth nothing
        self.assertLess(told.json["relative_error"], 0.15)  # all joints together: 10 % and more

    @unittest.skipUnless((SHARED.parent / "tx40_gautier").is_dir(), "the measured logs are not here")
    def test_columns_of_motors_need_no_map(self):
        log = SHARED.parent / "tx40_gautier" / "tx40.csv.xz"
        (self.folder / "map.yaml").write_text("side: motor\nposition: q_mot{}\ntorque: tau_mot{}\n")
        told, found = (json.loads(self.done("validate", "tx40", log, "--json", *more).out) for more in (("--map", self.folder / "map.yaml"), ()))
        self.assertEqual(told, found)


main()
