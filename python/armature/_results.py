"""What the larger functions return: named arrays, an answer, a page."""
from __future__ import annotations

import ctypes
import importlib
import json
import os
import re
import sys
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy as np

from ._arm import Arm
from ._library import Error, c_text, check, lib, text, texts


class NativeResult:
    """A result of the library; its arrays live as long as anybody uses them."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_result_free(handle)

    @property
    def text(self) -> str:
        return text(lib.armature_result_text(self._handle))

    @property
    def answer(self) -> Any:
        return json.loads(text(lib.armature_result_json(self._handle)))

    def arrays(self) -> Dict[str, Any]:
        arrays: Dict[str, Any] = {}
        for index, name in enumerate(texts(lib.armature_result_name, self._handle)):
            size = lib.armature_result_size(self._handle, index)
            if size == 0:
                arrays[name] = np.empty(0)
                continue
            memory = (ctypes.c_double * size).from_address(lib.armature_result_array(self._handle, index))
            setattr(memory, "owner", self)  # for as long as an array uses it
            array = np.frombuffer(memory)
            array.flags.writeable = False
            arrays[name] = array
        return arrays

    def units(self) -> Dict[str, str]:
        return {name: text(lib.armature_result_unit(self._handle, index))
                for index, name in enumerate(texts(lib.armature_result_name, self._handle))}

    def write_page(self, path: str) -> None:
        check(lib.armature_result_write_page(self._handle, c_text(path)))


class Result(Mapping[str, Any]):
    """A result: a mapping from names to arrays, with what the command line would print.

        run["q1"], run.units["q1"], run.stacked("q")    arrays, by name; those of all joints as (T, n)
        run.answer                                      what the verb answers with --json, as dict
        run.to_pandas(), run.to_pandas("joints")        a DataFrame of the arrays, or of a list in the answer, where pandas is installed
        run.page("out.html"), run.show()                one HTML file; the same in a notebook or a browser
    """

    def __init__(self, kind: str, answer: Any, arrays: Dict[str, Any], units: Dict[str, str], page: Any,
                 warnings: Optional[List[str]] = None) -> None:
        self.kind = kind
        #: what the verb of the command line answers with --json
        self.answer = answer
        self.arrays = arrays
        #: the unit of each array
        self.units = units
        #: sentences to read
        self.warnings: List[str] = list(warnings or [])
        self._page = page
        self._folder: Any = None  # of files that it needs

    def __getitem__(self, name: str) -> Any:
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"there is no array {name!r}; there are {', '.join(self.arrays) or 'none'}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        size = len(next(iter(self.arrays.values()))) if self.arrays else 0
        rows = f": {len(self.arrays)} arrays of {size}" if self.arrays else ""
        return f"<armature {self.kind}{rows}{'' if self.complete else ', incomplete'}>"

    @property
    def complete(self) -> bool:
        """False: it was stopped before its end; answer["incomplete"] may say why."""
        parts = self.answer if isinstance(self.answer, list) else [self.answer]
        return all(part.get("complete", True) for part in parts if isinstance(part, dict))

    @property
    def time(self) -> Any:
        """(T,) [s]"""
        return self["time"]

    def stacked(self, name: str) -> Any:
        """The arrays of all joints as columns: stacked("q") is q1, q2, ...; stacked("q{}_ref") is q1_ref, q2_ref, ..."""
        pattern = name if "{}" in name else name + "{}"
        columns: List[Any] = []
        while pattern.format(len(columns) + 1) in self.arrays:
            columns.append(self.arrays[pattern.format(len(columns) + 1)])
        if not columns:
            raise KeyError(f"there is no array {pattern.format(1)!r}; there are {', '.join(self.arrays) or 'none'}")
        return np.stack(columns, -1)

    def _tables(self) -> Dict[str, Any]:
        """The lists of the answer that are tables: "parameters", "joints", ...; a whole answer that is one has the name ""."""
        named = self.answer.items() if isinstance(self.answer, dict) else [("", self.answer)]
        return {name: rows for name, rows in named if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)}

    def to_pandas(self, table: str = "") -> Any:
        """A DataFrame of the arrays, with time or frequency as index and the units in its attrs. table: a list in the answer
        instead, identify(...).to_pandas("parameters"); where there are no arrays (compare), the answer itself."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("pandas is not installed\n  hint: python3 -m pip install pandas") from None
        if table or not self.arrays:
            tables = self._tables()
            if table not in tables:
                raise KeyError(f"{self.kind} has no {f'table {table!r}' if table else 'arrays'}; its answer has "
                               f"{', '.join(map(repr, filter(None, tables))) or 'no tables'}")
            rows = pandas.json_normalize(tables[table])  # what is nested becomes energy.supplied
            return rows.set_index(rows.columns[0])
        index = next((name for name in ("time", "frequency") if name in self.arrays), None)
        frame = pandas.DataFrame({name: array for name, array in self.arrays.items() if name != index},
                                 index=None if index is None else pandas.Index(self.arrays[index], name=index))
        frame.attrs["units"] = dict(self.units)
        return frame

    def page(self, path: Any) -> str:
        """Writes the page, one HTML file that needs no network, and returns its path."""
        if self._page is None:
            raise Error(f"{self.kind} has no page", "its answer and its arrays are all there is")
        written: str = os.fspath(path)
        self._page(written)
        return written

    def _html(self) -> str:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            with open(self.page(os.path.join(folder, "index.html")), encoding="utf-8") as file:
                return file.read()

    def show(self) -> None:
        """The page, in the notebook or else in a browser."""
        display = _notebook()
        if display is not None:
            display(self._html())
            return
        import tempfile
        import webbrowser
        folder = tempfile.mkdtemp(prefix="armature-")  # the browser reads it after we are gone
        webbrowser.open("file://" + self.page(os.path.join(folder, "index.html")))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Arrays over time or frequency, with matplotlib, and the axes they are in. Without names: measured and predicted torques,
        positions and their references, or the magnitude of a frequency response."""
        over = next((name for name in ("time", "frequency") if name in self.arrays), None)
        chosen = list(names) or self._plotted()
        if over is None or not chosen:
            raise Error(f"{self.kind} has nothing to plot over time or frequency",
                        "show() draws its page" if self._page is not None else "its answer is all there is")
        try:
            plt: Any = importlib.import_module("matplotlib.pyplot")
        except ImportError:
            raise ImportError("matplotlib is not installed\n  hint: python3 -m pip install matplotlib; "
                              "show() needs nothing") from None
        ax = ax or plt.subplots()[1]
        for name in chosen:
            unit = self.units.get(name)
            ax.plot(self[over], self[name], label=f"{name} [{unit}]" if unit else name)
        if over == "frequency":
            ax.set_xscale("log")
        ax.set_xlabel("time [s]" if over == "time" else "frequency [Hz]")
        ax.legend()
        return ax

    def _plotted(self) -> List[str]:
        """What is looked at first."""
        for pattern in (r"tau\d+(_predicted)", r"q\d+(_ref)?", r"magnitude_db|.*_db"):
            found = [name for name in self.arrays if re.fullmatch(pattern, name)]
            if found and "predicted" in pattern:
                found = [name for pair in ((name[:-len("_predicted")], name) for name in found) for name in pair if name in self.arrays]
            if found:
                return found
        return []


class Run(Result):
    """A simulated run: the channels of its log."""

    #: the scenario with all its settings, as text
    scenario: str = ""
    _native: Any = None


class Identification(Result):
    """An identified arm, and how well it predicts the log it comes from."""

    _arm: Optional[Arm] = None

    @property
    def arm(self) -> Arm:
        """The identified arm."""
        if self._arm is None:
            raise Error(f"this {self.kind} made no arm", "its answer and its arrays are all there is")
        return self._arm


class FrequencyResponse(Result):
    """Frequency responses, line by line."""

    #: the file that tune() reads
    table: str = ""


def _notebook() -> Any:
    """What shows a page in a notebook; None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    ipython, shown = importlib.import_module("IPython"), importlib.import_module("IPython.display")
    shell = ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import html
    return lambda page: shown.display(shown.HTML(f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'))


_COLUMN = re.compile(r"^(.*?)(?: \[(.*)\])?$")


def read_log(path: str) -> Any:
    """(arrays, units) of a log as the program writes it: lines of #, a header "q1 [rad]", rows."""
    skipped = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                break
            skipped += 1
        else:
            return {}, {}
    names, units = [], {}
    for column in line.rstrip("\n").split(","):
        name, unit = _COLUMN.match(column).groups()  # type: ignore[union-attr]
        names.append(name)
        units[name] = unit or ""
    table = np.loadtxt(path, delimiter=",", skiprows=skipped + 1, comments="#", ndmin=2)
    return {name: np.ascontiguousarray(table[:, k]) for k, name in enumerate(names)}, units


def copier(source: str) -> Any:
    """Copies a page out of the folder of a result."""
    import shutil
    return lambda path: shutil.copyfile(source, path)
