"""The notebooks run from the first cell to the last; what they claim, they assert themselves."""
import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import notebooks  # noqa: E402

runs = pytest.mark.skipif(bool(notebooks.missing()), reason="no " + ", ".join(notebooks.missing()))
library = Path(os.environ.get("ARMATURE_LIBRARY", "build/libarmature.so.0"))


def test_there_are_eight():
    assert [path.name[0] for path in notebooks.NOTEBOOKS] == list("12345678")


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_it_holds_no_results(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@runs
@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path):
    shown = [output for cell in notebooks.run(path, library.parent).cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in shown), "a picture"


@runs
def test_the_machine_that_stands_in_for_a_measured_one_is_identified(tmp_path):
    path = next(path for path in notebooks.NOTEBOOKS if path.stem == "4_identify")
    text = json.dumps(notebooks.run(path, library.parent, {"ARMATURE_UR10_LOG": str(tmp_path / "none.csv")}))
    assert "simulated: set ARMATURE_UR10_LOG" in text and "Verdict: excellent model" in text


def test_an_arm_shows_itself():
    from xml.etree import ElementTree
    import armature
    for name in armature.arms():
        arm = armature.load(name)
        svg = arm._repr_html_().split("</svg>")[0].split("<svg")[1]
        figure = ElementTree.fromstring("<svg" + svg + "</svg>")
        line = figure.find("polyline")
        frames = line.find("animate").get("values").split(";")
        assert len(set(frames)) > 20 and frames[0] == frames[-1] == line.get("points"), name
        assert len(frames[0].split()) == len(arm.link_names) + 2, name
    hostile = armature.load("rrr").replace(name="<script>alert(1)</script>")
    assert "<script" not in hostile._repr_html_()
