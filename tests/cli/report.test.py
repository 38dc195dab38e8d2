"""report, the pages that other verbs write, and what a person sees on a terminal meanwhile."""
import json
import math

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
