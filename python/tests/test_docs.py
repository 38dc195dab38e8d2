"""What the documentation says in Python is run; every file parses as Python 3.8; every function says what it does."""
import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armature

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.filterwarnings("ignore")
def test_the_page_about_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "the position of joint 'joint3' is not a finite number" in said and "% of the torques" in said
    assert names["mine"].joint_names == ["shoulder", "elbow"] and np.allclose(names["mine"].limits.upper, [np.deg2rad(170), np.inf])
    assert names["back"].found and (tmp_path / "identified.html").exists() and (tmp_path / "mine.yaml").exists()
    assert np.abs(names["run"].stacked("q")[-1] - 0.5).max() < 0.05


@pytest.mark.parametrize("path", sorted((ROOT / "python" / "armature").glob("*.py")), ids=lambda path: path.name)
def test_every_file_is_python_3_8(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_everything_public_says_what_it_does():
    for name in armature.__all__:
        thing = getattr(armature, name)
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_table_of_quantities_is_complete():
    from armature._library import lib, texts
    assert set(texts(lib.armature_quantity)) == {name for name in texts(lib.armature_quantity) if hasattr(armature.Arm, name)}


def test_the_types_are_complete(tmp_path):
    """As mypy --strict sees them: in the package, and in a program that uses it."""
    pytest.importorskip("mypy")
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", page, re.S)).replace("class PdWithGravity:\n    def update(self, q, qd, reference, dt):",
        "class PdWithGravity:\n    def update(self, q: Any, qd: Any, reference: armature.Reference, dt: float) -> Any:")
    (tmp_path / "page.py").write_text("from typing import Any\n" + program)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "-p", "armature"],
                          cwd=ROOT / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(tmp_path / "page.py")],
                          env={**os.environ, "MYPYPATH": str(ROOT / "python")}, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.filterwarnings("ignore")
def test_what_others_do_is_done_as_the_table_says(tmp_path):
    armature.load("ur5e").save(tmp_path / "robot.urdf")
    random = np.random.default_rng(5)
    names = {"armature": armature, "file": tmp_path / "robot.urdf"}
    names.update(zip(("q", "qd", "qdd", "tau"), random.uniform(-1, 1, (4, 6))))
    names.update(zip(("Q", "Qd", "Qdd"), random.uniform(-1, 1, (3, 9, 6))))
    page = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    rows = [line.strip("| \n").split(" | ")[-1].strip("`") for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) > 12
    for row in rows[1:]:
        exec(row if row.startswith("arm =") else f"answer = {row}", names)
        if row.startswith("arm ="):
            names.update(link=names["arm"].link_names[-1], T=names["arm"].forward_kinematics(names["q"]).matrix)
    regressor = names["arm"].regressor(names["q"], names["qd"], names["qdd"])
    assert regressor.shape == (6, 60)
