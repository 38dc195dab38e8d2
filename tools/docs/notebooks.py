"""python/notebooks/*.ipynb as pages: run, and turned into Markdown with what they showed."""
import os
import re
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
UR10_LOG = ROOT.parent / "shared" / "data" / "ur10_unisa" / "ur10_exciting.csv.xz"  # measured; a simulated machine stands in for it elsewhere


def missing():
    """What is not installed and would be needed to run them."""
    found = []
    for module in ("nbconvert", "ipykernel", "matplotlib"):
        try:
            __import__(module)
        except ImportError:
            found.append("python3-" + module)
    return found


def environment(build, folder):
    """What a kernel needs to find the package of this tree and its library; `folder` takes what it caches."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")])), "XDG_CACHE_HOME": str(folder),
            "ARMATURE_UR10_LOG": str(UR10_LOG),
            "ARMATURE_LIBRARY": str(Path(build).resolve() / "libarmature.so.0"), "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline"}


def run(path, build, more=None):
    """The notebook with what it showed; raises where a cell fails."""
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
    notebook = nbformat.read(path, as_version=4)
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update({**environment(build, cache), **(more or {})})  # the kernel inherits it
        try:
            ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(path.parent)}})
        finally:
            os.environ.clear()
            os.environ.update(before)
    for cell in notebook.cells:
        if cell["cell_type"] == "code":  # bars that say how far something is are gone by now
            cell["outputs"] = [output for output in cell["outputs"] if output.get("name") != "stderr"]
    return notebook


def page(path, notebook, site):
    """The notebook as Markdown; its pictures are written beside the page."""
    from nbconvert import MarkdownExporter
    text, resources = MarkdownExporter().from_notebook_node(notebook, {"unique_key": path.stem})
    (site / "notebooks").mkdir(parents=True, exist_ok=True)
    for name, data in resources["outputs"].items():
        (site / "notebooks" / name).write_bytes(data)
    return re.sub(r"^\$\\displaystyle (.*)\$$", r"$$\1$$", text, flags=re.M)


def pages(build, site, complain):
    """The pages of all notebooks by name. site: None runs nothing, and takes their titles alone."""
    made = {}
    for path in NOTEBOOKS:
        title = "# " + re.search(r'"# (.+?)(\\n)?"', path.read_text(encoding="utf-8"))[1]
        made[f"notebooks/{path.stem}"] = title
        if site is None:
            continue
        try:
            made[f"notebooks/{path.stem}"] = page(path, run(path, build), site)
        except Exception as error:  # a cell that failed, a kernel that died
            complain(f"../python/notebooks/{path.stem}", re.sub(r"\x1b\[[0-9;]*m", "", str(error))[-2000:])
    return made
