"""report, the pages that other verbs write, and what a person sees on a terminal meanwhile."""
import base64
import json
import math
import struct

from program import ROOT, ProgramTest, main, on_a_terminal

STEP = ROOT / "scenarios" / "rrr_pd_step.yaml"


def data_of(page):
    text = page.read_text(encoding="utf-8")
    start = text.index('<script type="application/json" id="data">') + len('<script type="application/json" id="data">')
    return json.loads(text[start:text.index("</script>", start)])


class Report(ProgramTest):
    def test_long_work_says_how_long_it_takes_and_draws_on_a_terminal_only(self):
        for command in (("excite", "rrr", "--harmonics", "3", "--starts", "4"), ("study", "vandeven1986")):
            seen = on_a_terminal(*command)
            self.assertRegex(seen, r"\[#*-*\] +\d+ %   .* s left", command)
            self.assertNotIn("\033[3", seen, "NO_COLOR")
            self.assertRegex(seen, "[\u2801-\u28ff]", command)
            quiet = self.done(*command)
            self.assertEqual(quiet.err, "")
            self.assertNotRegex(quiet.out, "[\u2801-\u28ff]")

    def test_simulate_writes_a_page_that_can_be_drawn_again_from_its_folder(self):
        out = self.folder / "out"
        said = self.done("simulate", STEP, "-o", out, "--set", "run.duration=0.2s").out
        self.assertIn(str(out / "index.html"), said)
        first = (out / "index.html").read_bytes()
        (out / "index.html").unlink()
        self.done("report", out)
        self.assertEqual(first, (out / "index.html").read_bytes())
        data = data_of(out / "index.html")
        self.assertEqual(data["kind"], "simulate")
        self.assertIn(["command", f"armature simulate {STEP} -o {out} --set run.duration=0.2s"], data["facts"])
        self.assertEqual([f["name"] for f in data["logs"][0]["scene"]], ["base", "waist", "shoulder", "elbow", "tool"])

    def test_a_log_of_any_origin_is_drawn_beside_it(self):
        log = self.folder / "measured.csv"
        log.write_text("time [s],a [N m],b [m]\n" + "".join(f"{k},{math.sin(k)},\n" for k in range(50)))
        said = self.done("report", log).out
        self.assertIn(str(self.folder / "measured.html"), said)
        data = data_of(self.folder / "measured.html")
        self.assertEqual([c["name"] for c in data["logs"][0]["channels"]], ["a", "b"])
        self.done("report", log, "-o", self.folder / "other.html")
        answer = json.loads(self.done("report", self.folder, "--json").out)
        self.assertEqual(answer["samples"], 50)

    def test_a_log_of_ones_own_moves_the_arm(self):
        rows = [[0.01 * k, math.sin(0.1 * k), -0.5 * k / 50, 1.0] for k in range(50)]
        def page(header, scale, *options):
            log = self.folder / "mine.csv"
            log.write_text(header + "\n" + "".join(",".join(repr(v) for v in (row[0], *(scale * x for x in row[1:]))) + "\n" for row in rows))
            self.done("report", log, "--arm", "rrr", *options)
            return data_of(self.folder / "mine.html")["logs"][0]
        def at_end(log):
            """The position of each joint in the last row, as the page moves it."""
            names = [frame["joint"] for frame in log["scene"][1:4]]
            by_name = {c["name"]: c["values"] for c in log["channels"]}
            def last(packed):
                raw = base64.b64decode(packed[3:])
                return struct.unpack("<d" if packed.startswith("f8") else "<f", raw[-(8 if packed.startswith("f8") else 4):])[0]
            return [last(by_name[name]) for name in names]
        plain = page("time [s],q1 [rad],q2 [rad],q3 [rad]", 1)
        self.assertEqual([c["name"] for c in plain["channels"]], ["q1", "q2", "q3"])  # nothing is there twice
        self.assertClose(at_end(plain), rows[-1][1:], 1e-6)
        self.assertClose(at_end(page("time [s],joint_1_position [deg],joint_2_position [deg],joint_3_position [deg]", 180 / math.pi)),
                         rows[-1][1:], 1e-6)
        (self.folder / "map.yaml").write_text("position: enc{}\nunits: {position: deg}\noffset: [0, 90 deg, 0]\n")
        moved = page("time [s],enc1,enc2,enc3", 180 / math.pi, "--map", self.folder / "map.yaml")
        self.assertClose(at_end(moved), [rows[-1][1], rows[-1][2] + math.pi / 2, rows[-1][3]], 1e-6)
        log = self.folder / "other.csv"
        log.write_text("time [s],a [N m]\n0,1\n1,2\n")
        self.refused(2, "report", log, "--arm", "rrr", says=["no positions of the 3 joints", "--map"])
        log.write_text("time [s],q1 [N m],q2 [rad],q3 [rad]\n0,1,2,3\n1,2,3,4\n")
        self.refused(2, "report", log, "--arm", "rrr", says="q1")
        self.refused(2, "report", log, "--map", "m.yaml", says="--arm")

    def test_a_hostile_title_stays_text(self):
        evil = "</script><script>alert(1)</script>"
        log = self.folder / "evil.csv"
        log.write_text(f"# armature log: 1\n# title: {evil}\ntime [s],{evil} [m]\n0,1\n1,2\n# end: 2 rows\n")
        self.done("report", log)
        text = (self.folder / "evil.html").read_text()
        self.assertNotIn("<script>alert", text)
        self.assertEqual(data_of(self.folder / "evil.html")["logs"][0]["title"], evil)

    def test_a_folder_of_runs_becomes_an_index(self):
        for name in ("a", "b"):
            self.done("simulate", STEP, "-o", self.folder / "runs" / name, "--set", "run.duration=0.05s")
        self.done("report", self.folder / "runs")
        cards = data_of(self.folder / "runs" / "index.html")["cards"]
        self.assertEqual([c["link"] for c in cards], ["./a/index.html", "./b/index.html"])

    def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.refused(2, "report", empty, says=["neither report.json nor a log", "hint"])
        self.refused(2, "report", self.folder / "none", says="none")
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "report.json").write_text('{"armature report": 1,\n "title": }')
        self.refused(2, "report", broken, says="report.json:2:11: this is no JSON")
        (broken / "report.json").write_text('{"armature report": 1, "logs": [{"file": "../../etc/passwd"}]}')
        self.refused(2, "report", broken, says="is not in this folder")
        self.assertEqual(list(empty.iterdir()), [])
        self.assertFalse((broken / "index.html").exists())

    def test_a_study_leaves_a_page_with_its_claims(self):
        out = self.folder / "out"
        answer = json.loads(self.done("study", "vandeven1986", "-o", out, "--json").out)
        data = data_of(out / "index.html")
        self.assertEqual(answer[0]["page"], str(out / "index.html"))
        self.assertEqual([c["id"] for c in data["claims"]], [c["id"] for c in answer[0]["claims"]])
        first = (out / "index.html").read_bytes()
        self.done("report", out)
        self.assertEqual(first, (out / "index.html").read_bytes())


main()
