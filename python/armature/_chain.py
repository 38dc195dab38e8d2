"""The chain: excite, identify, validate, frf, tune, simulate, compare and the other verbs."""
from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import threading
import warnings as python_warnings
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arm import Arm, Path, load
from ._compute import as_numbers
from ._device import DeviceRollout
from ._law import InLoop
from ._library import Error, Progress, c_text, check as check_status, last_error, lib, settings_of
from ._results import FrequencyResponse, Identification, NativeResult, Result, Run, copier, read_log
from ._settings import flattened, numbers_text, options_of, yaml_of

Logs = Union[Path, Mapping[str, Any], Sequence[Any]]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came while something long went on. `result` is what there was by then; None where that is nothing."""

    def __init__(self, result: Optional[Result]) -> None:
        super().__init__("interrupted" + ("" if result is None else "; what there was by then is in .result"))
        self.result = result


class _Bar:
    """How far something is: a line on the terminal or in a notebook, gone when done; silent where nobody watches."""

    def __init__(self, wanted: Optional[bool]) -> None:
        self.wanted = wanted if wanted is not None else (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules
        self._drawn, self._last = 0, ""

    def line(self, what: str) -> None:
        if not self.wanted or what == self._last:
            return
        self._last = what
        sys.stderr.write("\r" + what.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(what)

    def share(self, share: float, what: str) -> None:
        if share != share:  # nobody knows
            return self.line(what)
        filled = int(30 * min(max(share, 0.0), 1.0))
        self.line(f"[{'#' * filled}{'-' * (30 - filled)}] {100 * share:3.0f} %   {what}")

    def clear(self) -> None:
        if self._drawn:
            self.line("")
            sys.stderr.write("\r")
            self._drawn = 0


def _in_background(work: Any) -> threading.Event:
    """Starts the work and returns what is set when it is done. (Thread.join() does not outlive a Ctrl-C.)"""
    done = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            done.set()

    threading.Thread(target=run, name="armature", daemon=True).start()
    return done


# -- simulate: in this process --------------------------------------------------------------------------------------------

def _scenario(scenario: Union[Path, Mapping[str, Any]], folder: Optional[Path], case: Optional[str], settings: Dict[str, Any],
              files: _Folder) -> Tuple[str, Optional[str], List[Tuple[str, str]]]:
    """A scenario as the library takes it: a file or a text, the folder of a text, settings."""
    if isinstance(scenario, Mapping):
        content = dict(scenario)
        if isinstance(content.get("robot"), Arm):
            content["robot"] = _arm_file(content["robot"], files.path)
        content.setdefault("scenario", "scenario")
        text = json.dumps(content)
    else:
        text = os.fspath(scenario)
    where = os.fspath(folder or "") if isinstance(scenario, Mapping) or "\n" in text else None
    if isinstance(settings.get("robot"), Arm):
        settings["robot"] = _arm_file(settings["robot"], files.path)
    pairs = flattened(settings)
    if case is not None:
        pairs.append(("case", case))
    return text, where, pairs


def device_rollout(scenario: Union[Path, Mapping[str, Any]], vary: Sequence[str] = (), *, metrics: Optional[Sequence[str]] = None, device: str = "cuda",
                   effort: Optional[float] = None, folder: Optional[Path] = None, case: Optional[str] = None, **settings: Any) -> DeviceRollout:
    """The closed loop of a scenario, compiled for a graphics processor (nvcc makes it once), to make many runs of it whose numbers lie in its memory.

        rollout = armature.device_rollout("reach.yaml", ["start.q", "arm.payload.mass"]); metrics = rollout({"start.q": q0})["tool_largest"]
    scenario, folder, case and keywords: as of simulate(). vary: what differs from run to run, as in `vary` of a campaign: keys of the scenario ("start.q",
    "controller.kp") or arm. and a key of the arm's file; a key of a list is all of its numbers. metrics: names as campaigns have them (default: all of the whole machine).
    The loop has to be one for kernels, with a fixed step (run={"method": "rk4"}); where it is none, the error says why.
    device="host": the same text compiled for this machine, to try a program with numpy arrays. effort: how long to search for fewer operations."""
    files = _Folder()
    text, where, pairs = _scenario(scenario, folder, case, settings, files)
    return DeviceRollout(text, where, pairs, vary, metrics, device, effort)


def simulate(scenario: Union[Path, Mapping[str, Any]], *, folder: Optional[Path] = None, case: Optional[str] = None,
             law: Any = None, progress: Optional[bool] = None, **settings: Any) -> Run:
    """Runs a scenario and returns its log. The same scenario gives the same log, bit for bit.

    scenario: a file; or its content, as text with line breaks or as a dict, with files that it names looked for in `folder`.
    A robot in such a dict may be an Arm. case: which of the scenario's cases. Keywords replace settings of the scenario:
    simulate("reach.yaml", run={"duration": "2 s"}, controller={"kp": 400}); a dict with a `kind` replaces the whole block.
    law: a law of your own in place of the scenario's: an object with update(q, qd, reference, dt) -> tau and, if it has a state,
    reset(q, qd); or a function like update. With needs_tool = True it is told the tool's reference too; where update has parameters
    torque or wrench, what sensors measure of them.
    progress: whether a bar is shown (default: where somebody watches). Ctrl-C raises Interrupted, with the log so far.
    """
    files = _Folder()
    text, where, pairs = _scenario(scenario, folder, case, settings, files)
    return _simulated(text, where, pairs, InLoop(law) if law is not None else None, _Bar(progress), files)


def _watched(call: Any, bar: _Bar, what: str) -> Tuple[Optional[NativeResult], Any, bool]:
    """call(progress, user, result) of the library on a thread of its own, so that Ctrl-C is heard here: the result, or else the
    error, and whether Ctrl-C came. A second one ends at once what need not end well."""
    handle, state = ctypes.c_void_p(), {"share": float("nan"), "stop": 0, "error": None}  # type: Tuple[Any, Dict[str, Any]]

    def tell(_: Any, share: float) -> int:
        state["share"] = share
        return int(state["stop"])

    def work() -> None:
        status = call(callback, None, ctypes.byref(handle))
        state["error"] = last_error(status) if status else None

    callback = Progress(tell)
    done = _in_background(work)
    while not done.is_set():
        try:
            if not done.wait(0.1):
                bar.share(float(state["share"]), what)
        except KeyboardInterrupt:
            state["stop"] += 1
    bar.clear()
    return (NativeResult(handle) if state["error"] is None else None), state["error"], state["stop"] > 0


def _simulated(text: str, folder: Optional[str], pairs: List[Tuple[str, str]], law: Optional[InLoop], bar: _Bar,
               files: _Folder) -> Run:
    settings = settings_of(pairs)
    native, error, interrupted = _watched(
        lambda *rest: lib.armature_simulate(c_text(text), None if folder is None else c_text(folder), *settings,
                                            None if law is None else ctypes.byref(law.struct), *rest), bar, "simulated")
    if law is not None and law.error is not None and not interrupted:
        raise law.error
    if native is None:
        raise Interrupted(None) if interrupted else files.unnamed_error(error)
    answer = native.answer
    result = Run("simulate", answer, native.arrays(), native.units(), native.write_page, answer.get("warnings"))
    result.scenario, result._native, result._folder = native.text, native, files  # the scenario may name an arm in it
    if interrupted:
        raise Interrupted(result)
    _warn(result)
    return result


def _warn(result: Result) -> None:
    for sentence in result.warnings:
        python_warnings.warn(sentence, stacklevel=4)
    if not result.complete:
        reason = result.answer.get("incomplete", "it was stopped") if isinstance(result.answer, dict) else ""
        python_warnings.warn(f"{result.kind} ended early: {reason}", stacklevel=4)


# -- every other verb: the program in a process of its own ----------------------------------------------------------------

def _new_file(folder: str, name: str, ending: str) -> str:
    """A path that nothing has yet: log.csv, log_2.csv, ..."""
    number, path = 1, os.path.join(folder, name + ending)
    while os.path.exists(path):
        number += 1
        path = os.path.join(folder, f"{name}_{number}{ending}")
    return path


def _arm_file(arm: Arm, folder: str) -> str:
    path = _new_file(folder, "arm", ".yaml")
    arm.save(path)
    return path


def _log_file(log: Any, folder: str) -> str:
    """A path as it is; arrays (a dict, a DataFrame, a Result) as a table: time or t, q1, tau1, ... or q, tau as (T, n)."""
    if isinstance(log, (str, os.PathLike)):
        return os.fspath(log)
    if hasattr(log, "to_dict") and hasattr(log, "index"):  # a DataFrame, with the time in a column or as its index
        frame = {str(name): log[name].to_numpy() for name in log.columns}
        log = frame if {"time", "t"} & set(frame) else {"time": log.index.to_numpy(), **frame}
    if not isinstance(log, Mapping):
        raise Error(f"the log is of type {type(log).__name__}", 'a file, or arrays: {"time": t, "q": q, "tau": tau} or a DataFrame', "log")
    columns: Dict[str, Any] = {}
    for name, value in dict(log).items():
        array = as_numbers(value, name)
        if array.ndim == 2:
            columns.update({f"{name}{k + 1}": array[:, k] for k in range(array.shape[1])})
        elif array.ndim == 1:
            columns[str(name)] = array
        else:
            raise Error(f"{name} has the shape {array.shape}", "(T,), or (T, n) for all joints", "log")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise Error(f"the arrays of the log are of different lengths: {lengths}", "one value per time", "log")
    path = _new_file(folder, "log", ".csv")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in numbers_text(columns))
    return path


def _log_files(logs: Any, folder: str) -> List[str]:
    several = isinstance(logs, (list, tuple))
    return [_log_file(log, folder) for log in (logs if several else [logs])]


class _Folder:
    """Files of a result, as long as anybody uses them."""

    def __init__(self) -> None:
        import shutil
        import tempfile
        self.path = tempfile.mkdtemp(prefix="armature-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def __truediv__(self, name: str) -> str:
        return os.path.join(self.path, name)

    def unnamed(self, text: str) -> str:
        """A text about these files, of which nobody knows: "log:1" for "/tmp/armature-x/log.csv:1"."""
        return re.sub(re.escape(self.path + os.sep) + r"(\w+)(?:\.(?:csv|yaml|txt|model))?", r"\1", text)

    def unnamed_error(self, error: BaseException) -> BaseException:
        """The same of what is wrong with them."""
        return Error(*map(self.unnamed, (error.finding, error.hint, error.place))) if isinstance(error, Error) else error

    def unname(self, path: str) -> None:
        """The same in a file that a verb wrote."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if self.path in text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.unnamed(text))


def _run(words: Sequence[str], folder: _Folder, progress: Optional[bool] = None) -> Tuple[str, List[str], bool]:
    """What a verb prints, its warnings, and whether Ctrl-C came. Raises Error where it refuses its input. folder: of the files that
    were made for it."""
    bar = _Bar(progress)
    texts = (ctypes.c_char_p * len(words))(*(c_text(word) for word in words))
    native, error, interrupted = _watched(lambda *rest: lib.armature_command(texts, len(words), *rest), bar, words[0])
    if native is None:
        if interrupted:
            return "", [], True
        raise folder.unnamed_error(error)
    return folder.unnamed(native.text), [folder.unnamed(warning) for warning in native.answer["warnings"]], interrupted


def _verb(verb: str, words: Sequence[str], options: Mapping[str, Any], folder: _Folder, *, page: bool = True,
          progress: Optional[bool] = None, kind: Any = Result, finish: Optional[Callable[[Any], None]] = None) -> Any:
    """A verb with --json and, where it has one, its page. finish: adds what the verb wrote, also after Ctrl-C."""
    where = folder / "page"
    command = [verb, *words, *options_of(options), "--json", *(["--page", where] if page else [])]
    text, said, interrupted = _run(command, folder, progress)
    answer = json.loads(text) if text.strip() else {}
    arrays: Dict[str, Any] = {}
    units: Dict[str, str] = {}
    writer = None
    if page and os.path.exists(os.path.join(where, "index.html")):
        folder.unname(os.path.join(where, "index.html"))
        writer = copier(os.path.join(where, "index.html"))
        log = os.path.join(where, "log.csv")
        if os.path.exists(log):
            arrays, units = read_log(log)
    result = kind(verb, answer, arrays, units, writer, said)
    result._folder = folder
    if finish is not None and not (interrupted and not text.strip()):
        finish(result)
    if interrupted:
        raise Interrupted(result if text.strip() else None)
    for sentence in said:
        python_warnings.warn(sentence, stacklevel=3)
    return result


def _arm_from(path: str, folder: _Folder) -> Callable[[Any], None]:
    """Gives a result the arm that its verb wrote."""
    def finish(result: Any) -> None:
        if os.path.exists(path):
            folder.unname(path)
            result._arm = load(path)
    return finish


def _table_from(path: str) -> Callable[[Any], None]:
    """Gives a result the arrays that its verb wrote."""
    def finish(result: Any) -> None:
        if os.path.exists(path):
            result.arrays, result.units = read_log(path)
    return finish


def _text_file(text: str, name: str, folder: _Folder) -> str:
    with open(folder / name, "w", encoding="utf-8") as file:
        file.write(text)
    return folder / name


def _log_words(options: Mapping[str, Any], folder: _Folder) -> Dict[str, Any]:
    """Options about logs, as the verb takes them: a map as dict, base parameters as dict or text, a log as arrays become files."""
    options = dict(options)
    if isinstance(options.get("map"), Mapping):
        options["map"] = _text_file(yaml_of(options["map"], "map"), "map.yaml", folder)
    parameters = options.get("parameters")
    if isinstance(parameters, Mapping):
        parameters = "".join(f"{name} = {formula}\n" for name, formula in parameters.items())
    if isinstance(parameters, str) and "\n" in parameters:
        options["parameters"] = _text_file(parameters, "parameters.txt", folder)
    if isinstance(options.get("without"), (list, tuple)):
        options["without"] = ",".join(map(str, options["without"]))
    if options.get("drive_gains") is not None:
        options["drive_gains"] = _log_file(options["drive_gains"], folder.path)
    return options


def _choice(arm: Union[Arm, Path], folder: _Folder) -> str:
    return _arm_file(arm, folder.path) if isinstance(arm, Arm) else os.fspath(arm)


def excite(arm: Union[Arm, Path], *, progress: Optional[bool] = None, **options: Any) -> Result:
    """Designs the motion from which the arm's parameters are best identified, within its limits. The arrays are the motion: time,
    q1.., v1.., a1.., tau1... Options as of `armature excite`: excite("ur5e", harmonics=8, torque_limits=True)."""
    folder = _Folder()
    result: Result = _verb("excite", [_choice(arm, folder)], options, folder, progress=progress)
    return result


def identify(arm: Union[Arm, Path], logs: Logs, *, progress: Optional[bool] = None, **options: Any) -> Identification:
    """Identifies an arm from one log or several: files as recorders write them, or arrays in a dict or a DataFrame, {"time": t,
    "q": q, "tau": tau}. `.arm` is the identified arm, `.answer["parameters"]` the parameters with their 95 % intervals; the
    arrays are measured and predicted torques. Options as of `armature identify`: identify(arm, "log.csv", friction="stribeck").
    map: a file or a dict, {"position": "angle_{}"}. parameters: base parameters of a paper, as file, text or dict
    {"p3": "mcx3 + 0.415 m3"}; without=["p4"] are those that are zero; the answer has own_parameters then. payload=True: `.arm` is the
    arm with what it carries. drive_gains: a log without the payload that the arm has; the answer is what a unit of the torques is worth."""
    folder = _Folder()
    written, gains = folder / "identified.yaml", options.get("drive_gains") is not None
    words = [_choice(arm, folder), *_log_files(logs, folder.path), *([] if gains else ["-o", written])]
    result: Identification = _verb("identify", words, _log_words(options, folder), folder, page=not options.get("payload") and not gains,
                                   progress=progress, kind=Identification, finish=_arm_from(written, folder))
    return result


def validate(arm: Union[Arm, Path], logs: Logs, *, progress: Optional[bool] = None, **options: Any) -> Result:
    """How well an arm predicts the torques of a log: `.answer["relative_error"]`, and joint by joint. Options as of `armature
    validate`; map may be a dict."""
    folder = _Folder()
    result: Result = _verb("validate", [_choice(arm, folder), *_log_files(logs, folder.path)], _log_words(options, folder), folder,
                           progress=progress)
    return result


def frf(logs: Logs, *, progress: Optional[bool] = None, **options: Any) -> FrequencyResponse:
    """Frequency responses from logs: frf("log.csv", input="u_waist", output="q1_meas", segment="4 s"). The arrays are the lines:
    frequency, re, im, coherence, ...; `.answer` lists the resonances of each log."""
    folder = _Folder()
    table = folder / "frf.csv"
    result: FrequencyResponse = _verb("frf", [*_log_files(logs, folder.path), "-o", table], options, folder, progress=progress,
                                      kind=FrequencyResponse, finish=_table_from(table))
    result.table = table
    return result


def tune(responses: Any, *, progress: Optional[bool] = None, **options: Any) -> Result:
    """Gains and notches from frequency responses: results of frf(), or files. Options as of `armature tune`:
    tune(frf(...), phase_margin="40 deg"). `.answer` holds kp, ki, kd, filters and the margins in every posture."""
    folder = _Folder()
    several = isinstance(responses, (list, tuple))
    files = [getattr(item, "table", item) for item in (responses if several else [responses])]
    result: Result = _verb("tune", [os.fspath(file) for file in files], options, folder, page=False, progress=progress)
    return result


def compare(scenarios: Union[Path, Sequence[Path], Mapping[str, Run]], *, progress: Optional[bool] = None, **settings: Any) -> Result:
    """Runs several scenario files, or the cases of one, side by side; `.answer` is the table of their errors and costs. Keywords
    replace settings in all of them, as in simulate(). Or puts runs side by side that simulate() has made, also with laws of your
    own: compare({"ours": simulate("reach.yaml"), "mine": simulate("reach.yaml", law=mine)})."""
    if isinstance(scenarios, Mapping):
        return _compared(scenarios, settings)
    folder = _Folder()
    files = [os.fspath(s) for s in ([scenarios] if isinstance(scenarios, (str, os.PathLike)) else scenarios)]
    if not files:
        raise Error("there is nothing to compare", "scenario files in a list, or runs in a dict", "scenarios")
    words = files[:1]
    for other in files[1:]:
        words += ["--compare", other]
    for key, value in flattened(settings):
        words += ["--set", f"{key}={value}"]
    text, said, interrupted = _run(["simulate", *words, "-o", folder / "page", "--json"], folder, progress)
    page = os.path.join(folder / "page", "index.html")
    result = Result("compare", json.loads(text) if text.strip() else {}, {}, {},
                    copier(page) if os.path.exists(page) else None, said)
    result._folder = folder
    if interrupted:
        raise Interrupted(result if text.strip() else None)
    for sentence in said:
        python_warnings.warn(sentence, stacklevel=2)
    return result


def _compared(runs: Mapping[str, Run], settings: Mapping[str, Any]) -> Result:
    if settings:
        raise Error("runs that are finished take no settings", "hand them to simulate()", next(iter(settings)))
    for name, run in runs.items():
        if not isinstance(run, Run):
            raise Error(f"{name} is of type {type(run).__name__}", "a result of simulate(); scenarios to be run are given as a list", name)
    handles = (ctypes.c_void_p * len(runs))(*(run._native._handle for run in runs.values()))
    names = (ctypes.c_char_p * len(runs))(*(c_text(str(name)) for name in runs))
    handle = ctypes.c_void_p()
    check_status(lib.armature_compare(handles, names, len(runs), ctypes.byref(handle)))
    native = NativeResult(handle)
    return Result("compare", native.answer, {}, {}, native.write_page)


def calibrate(arm: Union[Arm, Path], poses: Any = None, *, progress: Optional[bool] = None, **options: Any) -> Identification:
    """The geometry of an arm from measurements of its tool: a table with q1, .. and tool_x, tool_y, tool_z, as file or arrays. `.arm` is
    the calibrated arm. calibrate(arm, design=60) proposes postures to measure in: the arrays q1, ... calibrate(arm, log, measured="wrench")
    calibrates a force/torque sensor (q1, .., fx, .., tz); `.arm` then carries its tool. Options as of `armature calibrate`."""
    folder = _Folder()
    written = folder / ("postures.csv" if options.get("design") else "calibrated.yaml")
    words = [_choice(arm, folder), *([] if poses is None else [_log_file(poses, folder.path)]), "-o", written]
    result: Identification = _verb("calibrate", words, options, folder, page=False, progress=progress, kind=Identification,
                                   finish=_table_from(written) if options.get("design") else _arm_from(written, folder))
    return result


def linearize(scenario: Path, *, progress: Optional[bool] = None, **options: Any) -> Result:
    """A scenario's plant at its initial state: modes, damping, a frequency response. Options as of `armature linearize`:
    linearize("arm.yaml", reduce=4), with settings of the scenario as set={"run.tick": "1 ms"}."""
    folder = _Folder()
    response = folder / "bode.csv"
    result: Result = _verb("linearize", [os.fspath(scenario), "--bode", response], options, folder, progress=progress,
                           finish=_table_from(response))
    return result


def fit_drive(scenario: Path, *, responses: Any = (), steps: Logs = (), progress: Optional[bool] = None, **options: Any) -> Identification:
    """An elastic drive's inertias, stiffness, damping, play and friction from frequency responses (results of frf(), or files) and
    logs of steps. `.arm` has the fitted drive. Options as of `armature fit-drive`."""
    folder = _Folder()
    written = folder / "fitted.yaml"
    words = [os.fspath(scenario), "-o", written]
    for response in responses if isinstance(responses, (list, tuple)) else [responses]:
        words += ["--frf", os.fspath(response.table if isinstance(response, FrequencyResponse) else response)]
    for log in _log_files(steps, folder.path):
        words += ["--step", log]
    result: Identification = _verb("fit-drive", words, options, folder, progress=progress, kind=Identification, finish=_arm_from(written, folder))
    return result


def fit_springs(scenario: Path, logs: Logs, *, held_out: Logs = (), progress: Optional[bool] = None, **options: Any) -> Result:
    """Stiffness and damping of the joints without a motor (plant.passive: a base that gives way) from logs in which motors shake the arm, one a
    posture; those in `held_out` are predicted. Options as of `armature fit-drive`: fit_springs("base.yaml", ["a.csv", "b.csv"], period="1 s",
    out="springs.yaml"). `.answer` has the parameters with their intervals, and the modes of every posture."""
    folder = _Folder()
    words = [os.fspath(scenario)]
    for option, files in (("--shaken", logs), ("--held-out", held_out)):
        for log in _log_files(files, folder.path):
            words += [option, log]
    result: Result = _verb("fit-drive", words, options, folder, progress=progress)
    return result


def campaign(file: Path, *, folder: Optional[Path] = None, progress: Optional[bool] = None, **options: Any) -> Result:
    """Runs a scenario many times with what varies (docs/campaign.md): `.answer` says with what probability the requirements are kept.
    folder: where the runs are kept (runs.npy); the same call goes on where it stopped, also after Ctrl-C. Options as of `armature
    campaign`: campaign("payload.yaml", runs=1000, until="0.5%")."""
    own = _Folder()
    where = own / "campaign" if folder is None else os.fspath(folder)
    page = os.path.join(where, "index.html")

    def finish(result: Any) -> None:
        result._page = copier(page) if os.path.exists(page) else None

    result: Result = _verb("campaign", [os.fspath(file), "-o", where], options, own, page=False, progress=progress, finish=finish)
    return result


def import_log(file: Path, *, progress: Optional[bool] = None, **options: Any) -> Result:
    """A recorder's file as arrays, on equal steps; `.answer` is the map that says which of its columns is what."""
    folder = _Folder()
    written = folder / "log.csv"
    result: Result = _verb("import", [os.fspath(file), "-o", written], options, folder, page=False, progress=progress,
                           finish=_table_from(written))
    return result


def check(arm: Union[Arm, Path], *, progress: Optional[bool] = None, **options: Any) -> Identification:
    """Whether an arm is physically possible: `.answer["sound"]`, and its findings. Options as of `armature check`; check(arm,
    repair=True).arm has the nearest inertia that bodies have."""
    folder = _Folder()
    written = folder / "repaired.yaml"
    words = [_choice(arm, folder), *(["-o", written] if options.get("repair") else [])]
    result: Identification = _verb("check", words, options, folder, page=False, progress=progress, kind=Identification,
                                   finish=_arm_from(written, folder))
    return result


def check_model(arm: Union[Arm, Path], model: Any, *, progress: Optional[bool] = None, **options: Any) -> Result:
    """Compares formulas of your own with the arm's, entry by entry (docs/derive.md): a file, or its text with line breaks.
    `.answer` names the lines that are wrong."""
    folder = _Folder()
    text = os.fspath(model)
    if "\n" in text:
        text = _text_file(text, "formulas.model", folder)
    result: Result = _verb("derive", [_choice(arm, folder), "--against", text], options, folder, page=False, progress=progress)
    return result


def report(source: Any, out: Optional[Path] = None, *, arm: Union[Arm, Path, None] = None, progress: Optional[bool] = None,
           **options: Any) -> Result:
    """Draws the page of a log, as file or arrays, or of a folder that a verb wrote; with arm=, the arm that the log moves. out: the
    file (default: beside the source, or for arrays a file that .page() copies)."""
    folder = _Folder()
    path = _log_file(source, folder.path)
    page = os.fspath(out) if out is not None else folder / "index.html"
    words = [path, "-o", page, *([] if arm is None else ["--arm", _choice(arm, folder)])]
    result: Result = _verb("report", words, options, folder, page=False, progress=progress)
    result._page = copier(page)
    return result


def command(*words: Any, progress: Optional[bool] = None, **options: Any) -> Any:
    """Any verb of the program: command("check", "robot.urdf") is `armature check robot.urdf --json`. An Arm among the words is
    handed over as a file. Returns the answer; text where the verb has no --json."""
    if not words:
        raise Error("there is no verb", 'command("check", "robot.urdf"); command("help") names them', "words")
    folder = _Folder()
    given = [_choice(word, folder) if isinstance(word, Arm) else os.fspath(word) for word in words]
    words_typed = [*given, *options_of(options)]
    try:
        text, said, interrupted = _run([*words_typed, "--json"], folder, progress)
        answer = json.loads(text) if text.strip() else None
    except Error as error:
        if "--json" not in error.finding:
            raise
        text, said, interrupted = _run(words_typed, folder, progress)
        answer = text
    if interrupted:
        raise Interrupted(Result(str(given[0]), answer, {}, {}, None, said) if text.strip() else None)
    return answer
