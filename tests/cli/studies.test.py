"""The studies: every claim holds, every figure of the papers that docs/figures.md promises is drawn, and none that it does not know."""
import json
import os
import re
from pathlib import Path

from program import ROOT, ProgramTest, main, run


def data_of(page):
    text = page.read_text(encoding="utf-8")
    mark = '<script type="application/json" id="data">'
    start = text.index(mark) + len(mark)
    return json.loads(text[start:text.index("</script>", start)])


def promised():
    """Study -> rows (figure, section or None, whether it is the arm in 3D)."""
    found, study = {}, None
    for line in (ROOT / "docs" / "figures.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            study = found.setdefault(line[3:].strip(), [])
        elif line.startswith("| ") and not line.startswith("| figure"):
            figure, _, where = [cell.strip() for cell in line.strip("|").split("|")]
            arm = where.startswith("the arm in 3D: ")
            study.append((figure, None if where == "–" else where.removeprefix("the arm in 3D: "), arm))
    return found


def drawn(log):
    """Names of the figures of a log."""
    return {f["name"] for kind in ("time_figures", "figures", "matrices") for f in log[kind]} | {s["figure"] for s in log["spectra"]}


class Studies(ProgramTest):
    def run_and_judge(self, study):
        """Where the study's page is."""
        answer = run("study", study, "-o", self.folder / study, "--json", timeout=1500)
        self.assertIn(answer.code, (0, 1), answer.err)  # 1: a claim falls short
        (judged,) = json.loads(answer.out)
        self.judge(judged["claims"])
        return self.folder / study / "index.html"

    def judge(self, claims):
        self.assertGreater(len(claims), 0)
        for claim in claims:  # that about speed too: it counts processor time, whatever else the machine does
            if claim.get("tried", True):
                self.assertTrue(claim["holds"], claim)

    def compare(self, study, page):
        page = data_of(page)
        logs = {log["title"]: log for log in page["logs"]}
        self.assertNotIn("", logs, "every section has a title")
        known = set()
        for figure, section, arm in promised()[study]:
            if section is None:
                continue
            self.assertIn(section, logs, f"docs/figures.md, {study} {figure}")
            if arm:
                self.assertTrue(logs[section]["scene"], f"{study}, {section}: there is no arm")
            else:
                self.assertIn(figure, drawn(logs[section]), f"docs/figures.md, {study} {figure}: not in '{section}'")
                known.add(figure)
        for title, log in logs.items():
            for name in drawn(log) - {""}:
                self.assertIn(name, known, f"{study}, '{title}': docs/figures.md does not know {name}")
            channels = {c["name"] for c in log["channels"]}
            for figure in log["time_figures"]:
                for name in figure["channels"]:
                    self.assertIn(name, channels, f"{study}, '{title}', {figure['title']}: there is no channel {name}")

    def test_every_figure_of_a_document_is_accounted_for(self):
        for study, count in (("kostic2002", 9), ("kostic2004", 17), ("vandeven1986", 12), ("verona2023", 58), ("tum2019", 5)):
            numbers = set()
            for figure, _, _ in promised()[study]:
                if span := re.match(r"Figs (\d+) (?:to|and) (\d+)", figure):
                    numbers.update(range(int(span[1]), int(span[2]) + 1))
                elif one := re.match(r"Fig\. (\d+)", figure):
                    numbers.add(int(one[1]))
            self.assertEqual(numbers, set(range(1, count + 1)), study)

    def test_vandeven1986(self):
        self.compare("vandeven1986", self.run_and_judge("vandeven1986"))

    def test_kostic2002(self):
        self.compare("kostic2002", self.run_and_judge("kostic2002"))

    def test_tum2019(self):
        self.compare("tum2019", self.run_and_judge("tum2019"))

    def test_verona2023(self):
        self.compare("verona2023", self.run_and_judge("verona2023"))

    def test_kostic2004(self):
        demo = os.environ.get("ARMATURE_DEMO")  # the demo ends with this study: no need to run it twice
        if not demo:
            self.compare("kostic2004", self.run_and_judge("kostic2004"))
            return
        page = Path(demo) / "kostic2004" / "index.html"
        self.judge(data_of(page)["claims"])
        self.compare("kostic2004", page)

    def test_measured(self):
        self.run_and_judge("measured")

    def test_names(self):
        self.assertIn("vandeven1986", self.done("study", "list").out)
        self.refused(2, "study", "vandeven198", says="did you mean 'vandeven1986'?")


main()
