"""From a scenario to a log, from a log to an arm: what the program does, with arrays."""
import concurrent.futures
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest
from conftest import program

import armature
from armature._arm import _from_text
from armature._chain import _Bar, _log_file
from armature._library import Progress, check, lib, settings_of
from armature._results import NativeResult

SCENARIO = {"scenario": "reach", "robot": "rrr", "reference": {"kind": "polynomial", "to": 0.5, "duration": "0.5 s"},
            "controller": {"kind": "computed_torque", "kp": 400, "kd": 40, "friction": True}, "run": {"duration": "0.6 s"}}


def shaken_for(duration, robot="rrr"):
    return armature.simulate({
        "scenario": "shaken", "robot": robot, "seed": 3, "sensors": {"encoder": 1e-5, "torque_noise": 0.05},
        "reference": {"kind": "fourier", "from": [0, "-45 deg", "90 deg"], "base_frequency": "0.2 Hz",
                      "sine": [[0.5, 0.3], [0.4, -0.3], [0.6, 0.2]], "cosine": [[0.2, -0.2], [0.1, -0.1], [0.3, -0.3]]},
        "controller": {"kind": "joint_pd", "kp": [2000, 2000, 600], "kd": [100, 100, 25]}, "run": {"duration": duration}})


@pytest.fixture(scope="module")
def shaken():
    """A log of an arm that is shaken well."""
    return shaken_for("11 s")


@pytest.fixture
def ctrl_c(monkeypatch):
    """Pressed once, when the work says how far it is: how long a busy machine takes to begin, nobody knows."""
    pressed, shown = [], _Bar.share

    def share(bar, value, what):
        shown(bar, value, what)
        if value == value and not pressed:
            pressed.append(threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)))
            pressed[0].start()

    monkeypatch.setattr(_Bar, "share", share)
    yield
    assert pressed, "nobody said how far the work is"


def measured(run):
    return {"time": run.time, **{name: run[name] for i in (1, 2, 3) for name in (f"q{i}_meas", f"tau{i}")}}


def test_a_run_is_that_of_the_program_to_the_bit(tmp_path):
    (tmp_path / "reach.yaml").write_text(json.dumps(SCENARIO))
    program("simulate", tmp_path / "reach.yaml", "-o", tmp_path / "out", "--set", "run.duration=0.3 s")
    run = armature.simulate(tmp_path / "reach.yaml", run={"duration": "0.3 s"})
    lines = (tmp_path / "out" / "log.csv").read_text().splitlines()
    header = next(line for line in lines if not line.startswith("#")).split(",")
    table = np.loadtxt(lines[lines.index(",".join(header)) + 1:], delimiter=",", comments="#")
    assert [column.split(" [")[0] for column in header] == list(run)
    assert all(np.array_equal(table[:, k], run[name], equal_nan=True) for k, name in enumerate(run))
    assert run.time[-1] == pytest.approx(0.3) and run.units["q1"] == "rad" and run.complete
    assert run.answer["robot"] == "rrr" and len(run.answer["joints"]) == 3


def test_a_scenario_is_a_file_a_text_or_a_dict(tmp_path):
    (tmp_path / "reach.yaml").write_text(json.dumps(SCENARIO))
    runs = [armature.simulate(tmp_path / "reach.yaml"), armature.simulate(SCENARIO),
            armature.simulate(json.dumps(SCENARIO, indent=1)), armature.simulate({**SCENARIO, "robot": armature.load("rrr")})]
    for run in runs[1:]:
        assert np.array_equal(run.stacked("q"), runs[0].stacked("q"))
    assert runs[0].stacked("q").shape == (601, 3) and runs[0].stacked("q{}_ref").shape == (601, 3)
    assert np.allclose(runs[0]["q1"][-1], 0.5, atol=1e-3)
    heavier = armature.simulate(SCENARIO, robot=armature.load("rrr").replace(payload=3))
    assert not np.allclose(heavier["tau2"], runs[0]["tau2"])
    assert np.array_equal(armature.simulate(heavier.scenario)["tau2"], heavier["tau2"])  # the text says all of it, also with an arm of ours


def test_wrong_scenarios_are_refused_with_their_place(tmp_path):
    with pytest.raises(armature.Error, match="controler") as caught:
        armature.simulate({**SCENARIO, "controler": {}})
    assert "did you mean 'controller'" in caught.value.hint
    with pytest.raises(armature.Error, match="durration"):
        armature.simulate(SCENARIO, run={"durration": 2})
    with pytest.raises(armature.Error, match="none.yaml"):
        armature.simulate(tmp_path / "none.yaml")
    with pytest.raises(armature.Error, match="there is no case"):
        armature.simulate(SCENARIO, case="fast")
    cases = {**SCENARIO, "cases": [{"case": "soft", "controller": {"kp": 100}}, {"case": "stiff", "controller": {"kp": 900}}]}
    with pytest.raises(armature.Error, match="2 cases") as caught:
        armature.simulate(cases)
    assert "soft, stiff" in caught.value.hint
    assert armature.simulate(cases, case="stiff").complete


def test_a_result_is_kept_as_long_as_its_arrays():
    q = armature.simulate(SCENARIO)["q1"]
    others = [armature.simulate(SCENARIO) for _ in range(3)]
    assert np.array_equal(q, others[0]["q1"]) and not q.flags.writeable
    with pytest.raises(KeyError, match="there is no array 'q9'"):
        others[0]["q9"]


def test_eight_runs_at_once():
    alone = armature.simulate(SCENARIO)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for run in pool.map(lambda _: armature.simulate(SCENARIO), range(8)):
            assert np.array_equal(run.stacked("q"), alone.stacked("q"))


def test_pages_and_tables(tmp_path):
    run = armature.simulate(SCENARIO)
    assert run.page(tmp_path / "run.html") == str(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html") and "reach" in page
    pandas = pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and frame["q1"].iloc[-1] == run["q1"][-1]


def test_a_run_that_is_interrupted_keeps_its_log(ctrl_c):
    long = {**SCENARIO, "run": {"duration": "3000 s"}, "reference": {"kind": "polynomial", "to": 0.5, "duration": "2000 s"}}
    with pytest.raises(armature.Interrupted) as caught:
        armature.simulate(long)
    run = caught.value.result
    assert not run.complete and 0 < run.time[-1] < 3000 and len(run["q1"]) == len(run.time)


def test_a_verb_that_is_interrupted_keeps_what_it_has(ctrl_c):
    with pytest.raises(armature.Interrupted) as caught:
        armature.excite("rrr", effort=1000, starts=1000)  # soon has a motion, and never ends
    motion = caught.value.result
    assert not motion.complete and motion.stacked("q").shape[1] == 3


def test_identify_from_arrays_finds_the_arm_that_made_the_log(shaken):
    arm = armature.load("rrr")
    found = armature.identify(arm, measured(shaken))
    assert found.arm.dof == 3 and found.answer["parameters"]
    error = armature.validate(found.arm, measured(shaken))
    assert error.answer["relative_error"] < 0.05
    assert armature.validate(arm.replace(payload=5), measured(shaken)).answer["relative_error"] > 0.1
    assert "tau1_predicted" in found and len(found["tau1"]) == len(found["tau1_predicted"])
    pandas = pytest.importorskip("pandas")
    again = armature.validate(found.arm, pandas.DataFrame(measured(shaken)))
    assert again.answer["relative_error"] == error.answer["relative_error"]


def test_the_chain_refuses_with_place_finding_and_hint(shaken, tmp_path):
    with pytest.raises(armature.Error, match="no option '--frictoin'") as caught:
        armature.identify("rrr", measured(shaken), frictoin="stribeck")
    assert "--friction" in caught.value.hint
    with pytest.raises(armature.Error) as caught:
        armature.identify("rrr", tmp_path / "none.csv")
    assert caught.value.place.endswith("none.csv")
    with pytest.raises(armature.Error, match="different lengths"):
        armature.identify("rrr", {"time": [0, 1], "q1": [0, 1, 2]})
    with pytest.raises(armature.Error, match="'stribek'"):
        armature.identify("rrr", measured(shaken), friction="stribek")
    for call, says in [(lambda: armature.identify("rrr", 5), "of type int"), (lambda: armature.compare([]), "nothing to compare"),
                       (lambda: armature.command(), "no verb"), (lambda: armature.simulate(SCENARIO, run={"duration": "long"}), "long")]:
        with pytest.raises(armature.Error, match=says):
            call()


def test_nobody_sees_the_files_that_arrays_travel_in(shaken, rrr, tmp_path):
    with pytest.raises(armature.Error) as caught:
        armature.validate(rrr, {"time": [0, 1], "q": np.zeros((2, 3))})
    assert caught.value.place == "log:1" and "'tau1' is missing" in caught.value.finding
    with pytest.raises(armature.Error) as caught:
        armature.check_model(rrr, "M11 = foo\n")
    assert caught.value.place == "formulas:1:7"
    broken = {**measured(shaken), "q2_meas": np.where(shaken.time > 5, np.nan, shaken["q2_meas"])}
    with pytest.raises(armature.Error) as caught:
        armature.identify(rrr, [measured(shaken), broken])
    assert caught.value.place.startswith("log_2:")
    found = armature.identify(rrr, measured(shaken), friction="coulomb_viscous", reference_weight=1)
    page = open(found.page(tmp_path / "page.html"), encoding="utf-8").read()
    for text in (found.arm.text, json.dumps(found.answer), page):
        assert tempfile.gettempdir() + "/armature-" not in text
    assert "Identified from log." in found.arm.text


def test_excite_keeps_within_the_limits(tmp_path):
    arm = armature.load("rrr")
    motion = armature.excite(arm, harmonics=2, starts=2, rate=50, velocity=[1.0, 1.0, 1.0])
    assert motion.answer["within_limits"] and np.abs(motion.stacked("v")).max() <= 1 + 1e-9
    tau = arm.inverse_dynamics(motion.stacked("q"), motion.stacked("v"), motion.stacked("a"), friction=True, rotor=True)
    assert np.allclose(tau, motion.stacked("tau"), atol=1e-6)
    motion.page(tmp_path / "excite.html")


def test_frequency_responses_and_tuning():
    t = np.arange(0, 40, 1e-3)
    u = np.random.default_rng(1).normal(size=t.size)
    m, c = 2.0, 1.0  # a mass that is braked: H = 1/(m s^2 + c s)
    v = np.zeros(t.size)
    for k in range(1, t.size):
        v[k] = v[k - 1] + 1e-3 * (u[k - 1] - c * v[k - 1]) / m
    response = armature.frf({"time": t, "u": u, "x": np.cumsum(v) * 1e-3}, input="u", output="x", segment="4 s")
    line = np.argmin(np.abs(response["frequency"] - 5))
    expected = 1 / (m * (2j * np.pi * response["frequency"][line]) ** 2 + c * 2j * np.pi * response["frequency"][line])
    assert abs(response["re"][line] + 1j * response["im"][line] - expected) < 0.2 * abs(expected)
    tuned = armature.tune(response, to="50 Hz")
    assert tuned.answer["kp"] > 0 and tuned.answer["kd"] > 0


def test_compare_and_any_other_verb(tmp_path):
    cases = {**SCENARIO, "cases": [{"case": "soft", "controller": {"kp": 100}}, {"case": "stiff", "controller": {"kp": 900}}]}
    (tmp_path / "cases.yaml").write_text(json.dumps(cases))
    compared = armature.compare(tmp_path / "cases.yaml", run={"duration": "0.2 s"})
    assert len(compared.answer if isinstance(compared.answer, list) else compared.answer["runs"]) == 2
    compared.page(tmp_path / "compared.html")
    assert armature.command("check", armature.load("rrr"))
    assert "joints:" in armature.command("export", "rrr")  # text: the arm stands where --json would


def test_the_program_is_in_the_package(tmp_path):
    answer = subprocess.run([sys.executable, "-m", "armature", "compute", "gravity", "rrr", "--q", "0,0,0", "--json"],
                            capture_output=True, text=True, cwd=tmp_path, check=True)
    assert np.array_equal(json.loads(answer.stdout)["result"]["g"], armature.load("rrr").gravity([0.0, 0, 0]))
    assert subprocess.run([sys.executable, "-m", "armature", "show", "nobody"], capture_output=True, cwd=tmp_path).returncode == 2


def in_process(function, *arguments):
    handle = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(handle)))
    return NativeResult(handle)


def test_the_library_identifies_validates_and_excites_as_the_program_does(shaken, rrr, tmp_path):
    log = _log_file(measured(shaken), str(tmp_path))
    logs = (ctypes.c_char_p * 1)(log.encode()), 1
    quiet = Progress(lambda user, share: 0)
    native, verb = in_process(lib.armature_identify, rrr._handle, *logs, None, 0, quiet, None), armature.identify(rrr, log)
    found = _from_text(native.text)
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5, 3))
    assert np.array_equal(found.inverse_dynamics(q, qd, qdd, friction=True), verb.arm.inverse_dynamics(q, qd, qdd, friction=True))
    assert np.array_equal(native.arrays()["tau1_predicted"], verb["tau1_predicted"], equal_nan=True)
    native.write_page(str(tmp_path / "identified.html"))
    error = in_process(lib.armature_validate, found._handle, *logs, None, 0)
    assert error.answer["relative_error"] == armature.validate(verb.arm, log).answer["relative_error"]
    settings = settings_of([("starts", "2"), ("rate", "50 Hz"), ("base_frequency", "0.2 Hz")])
    motion, ours = (in_process(lib.armature_excite, rrr._handle, *settings, quiet, None).arrays(),
                    armature.excite(rrr, starts=2, rate=50, base_frequency=0.2))
    assert list(motion) == list(ours) and all(np.array_equal(motion[name], ours[name]) for name in motion)


def test_the_library_takes_every_setting_of_excite(rrr, tmp_path):
    chosen = {"harmonics": "[3, 2, 3]", "starts": "2", "rate": "50 Hz", "base_frequency": "0.2 Hz", "criterion": "log-det", "friction": "true",
              "velocity": "[1 rad/s, 60 deg/s, 1.2 rad/s]", "acceleration": "4 rad/s^2", "workspace": "[-1 m, 1 m, -1 m, 1 m, -1 m, 2 m]",
              "centre": "[0, -30 deg, 0.5]", "seed": "7", "periods": "2"}
    native = in_process(lib.armature_excite, rrr._handle, *settings_of(chosen.items()), Progress(lambda user, share: 0), None)
    verb = armature.excite(rrr, harmonics="3,2,3", starts=2, rate="50Hz", base_frequency="0.2Hz", criterion="log-det", friction=True,
                           velocity="1,60deg/s,1.2", acceleration=4, workspace="-1,1,-1,1,-1,2", centre="0,-30deg,0.5", seed=7, periods=2,
                           no_collisions=True)
    motion = native.arrays()
    assert list(motion) == list(verb) and all(np.array_equal(motion[name], verb[name]) for name in motion)
    assert native.answer.keys() == verb.answer.keys()
    assert np.max(np.abs(motion["v2"])) <= np.pi / 3 and native.answer["criterion"] == "log-det"
    assert not native.answer["collisions_watched"]
    native.write_page(str(tmp_path / "excitation.html"))
    handle = ctypes.c_void_p()
    for key, value in (("velocity", "[1, 2]"), ("harmonics", "[]"), ("threads", "1000"), ("scale", "torques"), ("colour", "red")):
        wrong = settings_of([(key, value)])
        assert lib.armature_excite(rrr._handle, *wrong, Progress(lambda user, share: 0), None, ctypes.byref(handle)) == 2, key


def test_the_library_takes_the_options_of_the_verbs(shaken, rrr, tmp_path):
    log = _log_file(measured(shaken), str(tmp_path))
    logs = (ctypes.c_char_p * 1)(log.encode()), 1
    quiet = Progress(lambda user, share: 0)
    chosen = {"friction": "coulomb_viscous", "estimator": "ols", "cutoff": "30 Hz", "from": "1 s", "no_offsets": True}
    pairs = settings_of((key, "true" if value is True else value) for key, value in chosen.items())
    native = in_process(lib.armature_identify, rrr._handle, *logs, *pairs, quiet, None)
    verb, usual = armature.identify(rrr, log, **chosen), armature.identify(rrr, log, friction="coulomb_viscous")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5, 3))
    torques = [arm.inverse_dynamics(q, qd, qdd, friction=True) for arm in (_from_text(native.text), verb.arm, usual.arm)]
    assert np.array_equal(torques[0], torques[1]) and not np.array_equal(torques[1], torques[2])
    window = settings_of([("window", "2s..4s,6s..9s"), ("cutoff", "20 Hz")])
    error = in_process(lib.armature_validate, verb.arm._handle, *logs, *window)
    assert error.answer["relative_error"] == armature.validate(verb.arm, log, window=["2s..4s", "6s..9s"], cutoff="20 Hz").answer["relative_error"]
    handle = ctypes.c_void_p()
    for key, value, says in [("friction", "soap", "no friction law 'soap'"), ("estimator", "guess", "estimator cannot be 'guess'"), ("from", "20 s", ""),
                             ("cutoff", "fast", "fast"), ("link_weights", "1,2", "has 2 values, not 3"), ("colour", "red", "colour")]:
        assert lib.armature_identify(rrr._handle, *logs, *settings_of([(key, value)]), quiet, None, ctypes.byref(handle)) == 2, key
        assert says in lib.armature_error().decode() and handle.value is None
    assert lib.armature_validate(rrr._handle, *logs, *settings_of([("torque_delay", "find")]), ctypes.byref(handle)) == 2


def as_settings(chosen):
    return settings_of((key, "true" if value is True else str(value)) for key, value in chosen.items())


def test_the_library_answers_what_the_verbs_answer(shaken, rrr, tmp_path):
    """Every number of it, with a map, a payload, periods that are averaged, and a log that has to reach something."""
    quiet, handle = Progress(lambda user, share: 0), ctypes.c_void_p()
    log, periods, other = (_log_file(table, str(tmp_path)) for table in (
        measured(shaken), measured(shaken_for("16 s")), {
            "time": shaken.time, **{f"angle_{i}": shaken[f"q{i}_meas"] for i in (1, 2, 3)},
            **{f"effort_of_{i}": -2 * shaken[f"tau{i}"] for i in (1, 2, 3)}}))
    (tmp_path / "map.yaml").write_text("position: angle_{}\ntorque: effort_of_{}\ntorque_scale: [-0.5, -0.5, -0.5]\n")
    given = {"friction": "coulomb_viscous", "reference_weight": "1"}  # what is chosen by default is compared above
    for path, chosen in [(other, {"map": str(tmp_path / "map.yaml"), **given}), (periods, {"period": "5 s", **given}), (log, {"payload": True})]:
        logs = (ctypes.c_char_p * 1)(path.encode()), 1
        native, verb = in_process(lib.armature_identify, rrr._handle, *logs, *as_settings(chosen), quiet, None), armature.identify(rrr, path, **chosen)
        assert native.answer == verb.answer, chosen
        q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5, 3))
        assert np.array_equal(_from_text(native.text).inverse_dynamics(q, qd, qdd), verb.arm.inverse_dynamics(q, qd, qdd))
    logs = (ctypes.c_char_p * 1)(other.encode()), 1
    chosen = {"map": str(tmp_path / "map.yaml"), "require": "1%"}
    assert in_process(lib.armature_validate, rrr._handle, *logs, *as_settings(chosen)).answer == armature.validate(rrr, other, **chosen).answer
    logs = (ctypes.c_char_p * 1)(log.encode()), 1
    for chosen, says in [({"joint": "1"}, "ekf"), ({"map": "none.yaml"}, "none.yaml"), ({"period": "soon"}, "soon")]:
        assert lib.armature_identify(rrr._handle, *logs, *as_settings(chosen), quiet, None, ctypes.byref(handle)) == 2
        assert says in lib.armature_error().decode() and handle.value is None


def test_every_verb_is_a_function_of_the_library(tmp_path):
    """As any language calls it: words in, what was printed out, the parts of an error, the exit code, a stop."""
    def run(*words, progress=lambda user, share: 0):
        handle = ctypes.c_void_p()
        texts = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        status = lib.armature_command(texts, len(words), Progress(progress), None, ctypes.byref(handle))
        return status, None if status else NativeResult(handle)

    status, shown = run("show", "rrr", "--json")
    assert status == 0 and json.loads(shown.text)["name"] == "rrr" and shown.answer == {"code": 0, "complete": True, "warnings": []}
    assert run("arms")[1].text == program("arms").stdout
    assert run("show", "nobody")[0] == 2 and lib.armature_error_finding() == b"there is no built-in arm 'nobody'"
    (tmp_path / "bad.yaml").write_text(armature.load("rrr").text.replace("joints:", "joint:"))
    assert run("check", str(tmp_path / "bad.yaml"))[0] == 2 and lib.armature_error_place().decode().startswith(str(tmp_path / "bad.yaml:"))
    assert run("compute", "gravity", "rrr", "--q", "1,2")[0] == 2
    (tmp_path / "thin.yaml").write_text(re.sub(r"xx: [^,}\s]+", "xx: 100", armature.load("rrr").text, count=1))
    status, no = run("check", str(tmp_path / "thin.yaml"), "--json")
    assert status == 0 and no.answer["code"] == 1 and not json.loads(no.text)["sound"]
    shares = []
    status, motion = run("excite", "rrr", "--effort", "1000", "--starts", "1000", "--json", progress=lambda user, share: shares.append(share) or int(share == share))
    assert status == 0 and not motion.answer["complete"] and not json.loads(motion.text)["complete"]
    assert any(0 <= share <= 1 for share in shares)
    assert run("excite", "panda", "--effort", "1000", progress=lambda user, share: 2)[0] == 1  # at once: nothing is left of it
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert {json.loads(done.text)["result"]["g"][1] for _, done in pool.map(
            lambda _: run("compute", "gravity", "rrr", "--q", "0,0.1,0", "--json"), range(8))} == {armature.load("rrr").gravity([0, 0.1, 0])[1]}


@pytest.mark.filterwarnings("ignore")
def test_the_other_verbs(tmp_path, rrr):
    q = armature.calibrate("rrr", design=20).stacked("q")
    moved = rrr.replace(tool={"xyz": [0.004, -0.003, 0.005]})
    x, y, z = moved.forward_kinematics(q).position.T
    found = armature.calibrate(rrr, {"q": q, "tool_x": x, "tool_y": y, "tool_z": z})
    assert not np.allclose(rrr.forward_kinematics(q).position.T, [x, y, z], atol=1e-4)
    assert np.allclose(found.arm.forward_kinematics(q).position.T, [x, y, z], atol=1e-8)
    arm, source = armature.load("ur5e"), np.random.default_rng(5)
    q = armature.calibrate(arm, design=30).stacked("q")
    force = -1.2 * 9.80665 * arm.forward_kinematics(q).rotation[:, 2, :]  # a load of 1.2 kg in axes of the flange, 60 mm before it
    reading = np.hstack([force, np.cross([0.01, 0, 0.06], force)]) + [4, -7, 12, 0.3, -0.2, 0.15] + source.normal(size=(30, 6)) * ([0.05] * 3 + [0.002] * 3)
    found = armature.calibrate(arm, {"q": q, **dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), reading.T))}, measured="wrench")
    assert found.answer["reads"] == "load" and abs(found.answer["tool"][0]["value"] - 1.2) < 0.01
    held = found.arm.inverse_dynamics([0, -1, 1, 0, 1, 0], [0] * 6, [0] * 6) - arm.inverse_dynamics([0, -1, 1, 0, 1, 0], [0] * 6, [0] * 6)
    assert np.abs(held).max() > 1  # the arm that comes back carries the tool
    (tmp_path / "reach.yaml").write_text(json.dumps(SCENARIO))
    assert armature.linearize(tmp_path / "reach.yaml").answer
    assert armature.check(rrr).answer["sound"]
    (tmp_path / "thin.yaml").write_text(re.sub(r"xx: [^,}\s]+", "xx: 100", rrr.text, count=1))
    assert not armature.check(tmp_path / "thin.yaml").answer["sound"]
    assert armature.check(armature.check(tmp_path / "thin.yaml", repair=True).arm).answer["sound"]
    run = armature.simulate(SCENARIO)
    drawn = armature.report({"time": run.time, "q": run.stacked("q")}, arm=rrr)
    assert "<html" in open(drawn.page(tmp_path / "drawn.html")).read()
    log = armature.import_log(_log_file(measured(run), str(tmp_path)))
    assert any(np.array_equal(log[name], run["q1_meas"]) for name in log)
    (tmp_path / "campaign.yaml").write_text(json.dumps({
        "campaign": "gains", "scenario": "reach.yaml", "vary": {"controller.kp.*": {"uniform": [300, 500]}},
        "plan": {"kind": "monte_carlo", "runs": 8}, "require": {"tool_largest": "below 1 m"}}))
    answers = [armature.campaign(tmp_path / "campaign.yaml", folder=tmp_path / "runs", runs=runs) for runs in (8, 12)]
    assert len(np.load(tmp_path / "runs" / "runs.npy")) == 12  # the second went on where the first stopped
    answers[1].page(tmp_path / "campaign.html")


def test_equations(rrr):
    text, latex = rrr.symbolic("gravity"), rrr.symbolic("gravity", "latex")
    assert list(text) == list(latex) == ["g1", "g2", "g3"] and text["g1"] == "0" and "cos(q2" in text["g2"]
    sympy = pytest.importorskip("sympy")
    g = rrr.symbolic("gravity", "sympy", parameters="links")
    M = rrr.symbolic("mass-matrix", "sympy")
    assert sympy.diff(g["g3"], "q1") == 0 and all(isinstance(entry, sympy.Expr) for entry in M.values())
    model = "\n".join(f"{name} = {formula}" for name, formula in rrr.symbolic("mass-matrix", parameters="links").items())
    assert armature.check_model(rrr, model + "\n").answer["equal"]
    wrong = re.sub(r"^(M33 = .*)$", r"\1 + 1", model, flags=re.M)
    assert wrong != model and not armature.check_model(rrr, wrong + "\n").answer["equal"]


def test_the_library_can_be_stopped_and_refuses(shaken, rrr, tmp_path):
    log = _log_file(measured(shaken), str(tmp_path))
    logs = (ctypes.c_char_p * 1)(log.encode()), 1
    stop, handle = Progress(lambda user, share: 1), ctypes.c_void_p()
    assert lib.armature_identify(rrr._handle, *logs, None, 0, stop, None, ctypes.byref(handle)) == 1 and handle.value is None
    assert not in_process(lib.armature_excite, rrr._handle, None, 0, stop, None).answer["complete"]
    none = ctypes.cast(None, Progress)
    assert lib.armature_identify(rrr._handle, None, 1, None, 0, none, None, ctypes.byref(handle)) == 2
    assert lib.armature_identify(rrr._handle, None, 0, None, 0, none, None, ctypes.byref(handle)) == 2
    assert lib.armature_validate(None, *logs, None, 0, ctypes.byref(handle)) == 2
    assert lib.armature_excite(None, None, 0, none, None, ctypes.byref(handle)) == 2
    assert handle.value is None


def test_parameters_of_a_paper(shaken, rrr, tmp_path):
    """From Python as file, text or dict, and from the library: the same estimate in other base parameters."""
    ours = dict(re.findall(r"(p\d+) = (.+)$", program("compute", "base-parameters", "rrr").stdout, re.M))
    assert len(ours) == 15 and ours["p9"] == "mcx3 + 0.415 m3"
    log, given = _log_file(measured(shaken), str(tmp_path)), {"friction": "coulomb_viscous", "reference_weight": "1"}
    found = armature.identify(rrr, log, parameters={**ours, "p9": "2 mcx3 + 0.83 m3"}, **given)
    own = {p["name"]: p for p in found.answer["own_parameters"]}
    standing_for = {p["stands_for"]: p for p in found.answer["parameters"]}
    assert list(own) == list(ours) and len(set(ours.values()) & set(standing_for)) > 10
    for name, formula in ours.items():
        same = standing_for.get(formula)
        if same and same["determined"]:
            scale = 2 if name == "p9" else 1
            assert own[name]["estimate"] == pytest.approx(scale * same["estimate"], rel=1e-9)
            assert own[name]["interval_95"] == pytest.approx([scale * bound for bound in same["interval_95"]], rel=1e-9)
    found = armature.identify(rrr, log, parameters=ours, **given)
    own = {p["name"]: p for p in found.answer["own_parameters"]}
    text = "".join(f"{name} = {formula}\n" for name, formula in ours.items())
    assert armature.identify(rrr, log, parameters=text, **given).answer["own_parameters"] == found.answer["own_parameters"]
    (tmp_path / "parameters.txt").write_text(text)
    heavy = max((p for p in own.values() if p["determined"]), key=lambda p: abs(p["estimate"]) / p["deviation"])["name"]
    chosen = {"parameters": str(tmp_path / "parameters.txt"), "without": heavy, **given}
    with pytest.warns(UserWarning, match=f"--without {heavy}: the log says"):
        verb = armature.identify(rrr, log, **{**chosen, "without": [heavy]})
    logs, quiet, handle = ((ctypes.c_char_p * 1)(log.encode()), 1), Progress(lambda user, share: 0), ctypes.c_void_p()
    native = in_process(lib.armature_identify, rrr._handle, *logs, *as_settings(chosen), quiet, None)
    assert native.answer == verb.answer and heavy not in {p["name"] for p in native.answer["own_parameters"]}
    for wrong, says in [({"without": heavy}, "names parameters of --parameters"), ({**chosen, "payload": True}, "about a whole arm"),
                        ({**chosen, "without": "p99"}, "p99"), ({"joint": "1"}, "for --estimator ekf"), ({"parameters": "none.txt"}, "none.txt")]:
        assert lib.armature_identify(rrr._handle, *logs, *as_settings(wrong), quiet, None, ctypes.byref(handle)) == 2, wrong
        assert says in lib.armature_error().decode() and handle.value is None
        with pytest.raises(armature.Error):
            armature.identify(rrr, log, **wrong)


def test_drive_gains(shaken, rrr, tmp_path):
    """Of two logs that differ by a known payload, with the torques in a unit that nobody names."""
    loaded = rrr.replace(payload={"mass": 3, "com": [0, 0, 0.05], "inertia": {"xx": 0.005, "yy": 0.005, "zz": 0.005}})
    carrying = shaken_for("11 s", loaded)
    currents = [{"time": run.time[500:], "q": run.stacked("q{}_meas")[500:], "tau": run.stacked("tau")[500:] / [12.5, 8.0, 20.0]}
                for run in (carrying, shaken)]  # before, the motors saturate
    verb = armature.identify(loaded, currents[0], drive_gains=currents[1])
    told = [(entry["gain"], gain) for entry, gain in zip(verb.answer["gains"], (12.5, 8.0, 20.0)) if entry["determined"]]
    assert len(told) >= 2 and all(abs(found / gain - 1) < 0.05 for found, gain in told)
    with pytest.raises(armature.Error, match="made no arm"):
        verb.arm
    one, two = (_log_file(log, str(tmp_path)) for log in currents)
    logs, quiet, handle = ((ctypes.c_char_p * 1)(one.encode()), 1), Progress(lambda user, share: 0), ctypes.c_void_p()
    native = in_process(lib.armature_identify, loaded._handle, *logs, *as_settings({"drive_gains": two}), quiet, None)
    assert native.answer == verb.answer
    assert lib.armature_identify(rrr._handle, *logs, *as_settings({"drive_gains": two}), quiet, None, ctypes.byref(handle)) == 2
    assert "describes no payload" in lib.armature_error().decode()


def test_a_short_log_of_one_joint(tmp_path):
    """Faults are looked for by leaving joints out: of one joint nothing is left then."""
    hinge = armature.Arm.from_dh([{"name": "hinge", "a": 0.5, "mass": 2, "com": [-0.2, 0, 0], "inertia": {"xx": 0.01, "yy": 0.02, "zz": 0.02},
                                   "limits": {"velocity": 10, "acceleration": 100, "torque": 100}}], gravity=[0, -9.81, 0])
    run = armature.simulate({"scenario": "shaken", "robot": hinge, "seed": 3, "sensors": {"encoder": 1e-5, "torque_noise": 0.05},
                             "reference": {"kind": "fourier", "from": [0], "base_frequency": "0.5 Hz", "sine": [[0.4, 0.2, 0.1]], "cosine": [[0.2, -0.1, -0.1]]},
                             "controller": {"kind": "joint_pd", "kp": 400, "kd": 20}, "run": {"duration": "2 s"}})
    log = {"time": run.time[:1000:10], "q1": run["q1_meas"][:1000:10], "tau1": run["tau1"][:1000:10]}
    found = armature.identify(hinge, log, friction="none", estimator="ols", no_rotors=True, ignore_inertia=True, differences=True)
    assert found.answer["error"]["training"] < 0.02  # the noise is half a percent of the torque


def test_a_map_as_a_dict(shaken, rrr):
    table = {"time": shaken.time, **{f"angle_{i}": shaken[f"q{i}_meas"] for i in (1, 2, 3)}, **{f"effort_{i}": -2 * shaken[f"tau{i}"] for i in (1, 2, 3)}}
    mapped = armature.validate(rrr, table, map={"position": "angle_{}", "torque": "effort_{}", "torque_scale": [-0.5] * 3})
    assert mapped.answer["relative_error"] == pytest.approx(armature.validate(rrr, measured(shaken)).answer["relative_error"], rel=1e-12)


def test_runs_side_by_side(tmp_path, rrr):
    """A law of Python beside one of ours: the numbers of `simulate --compare`, and a page."""
    stiff = {**SCENARIO, "controller": {**SCENARIO["controller"], "kp": 900, "kd": 60}}
    for name, scenario in (("soft", SCENARIO), ("stiff", stiff)):
        (tmp_path / f"{name}.yaml").write_text(json.dumps({**scenario, "scenario": name}))
    verb = armature.compare([tmp_path / "soft.yaml", tmp_path / "stiff.yaml"]).answer
    law = armature.Law("computed_torque", rrr, kp=900, kd=60, friction=True)
    compared = armature.compare({"soft": armature.simulate(SCENARIO), "stiff": armature.simulate(SCENARIO, law=law)})
    timed = ("tick_seconds", "real_time_factor")
    assert [{k: v for k, v in run.items() if k not in timed} for run in compared.answer] == [
        {k: v for k, v in run.items() if k not in timed} for run in verb]
    assert all(run[key] > 0 for run in compared.answer for key in timed)
    assert "stiff" in open(compared.page(tmp_path / "compared.html"), encoding="utf-8").read()
    with pytest.raises(armature.Error, match="of type str"):
        armature.compare({"soft": "soft.yaml"})
    with pytest.raises(armature.Error, match="take no settings"):
        armature.compare({"soft": armature.simulate(SCENARIO)}, run={"duration": 1})
    handle, runs = ctypes.c_void_p(), (ctypes.c_void_p * 1)(None)
    assert lib.armature_compare(runs, (ctypes.c_char_p * 1)(b"a"), 1, ctypes.byref(handle)) == 2
    assert lib.armature_compare(None, None, 1, ctypes.byref(handle)) == 2 and lib.armature_compare(None, None, 0, ctypes.byref(handle)) == 2
    other = in_process(lib.armature_derive, rrr._handle, b"gravity", b"c", None, 0)
    assert lib.armature_compare((ctypes.c_void_p * 1)(other._handle.value), (ctypes.c_char_p * 1)(b"a"), 1, ctypes.byref(handle)) == 2
    assert b"'a' is no run" in lib.armature_error() and handle.value is None


def test_tables_and_pictures_of_every_kind_of_result(shaken, tmp_path):
    found = armature.identify("rrr", measured(shaken), friction="coulomb_viscous", reference_weight=1, covariance=tmp_path / "spread.csv")
    assert "\ncoordinate,value,factor_1," in (tmp_path / "spread.csv").read_text()  # what a campaign draws arms from
    response = armature.frf({"time": shaken.time, "u": shaken["tau1"], "x": shaken["q1"]}, input="u", output="x", segment="2 s")
    (tmp_path / "reach.yaml").write_text(json.dumps({**SCENARIO, "cases": [{"case": "a"}, {"case": "b", "controller": {"kp": 100}}]}))
    compared = armature.compare(tmp_path / "reach.yaml")
    with pytest.raises(armature.Error, match="nothing to plot"):
        compared.plot()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert [line.get_label().split(" ")[0] for line in found.plot().get_lines()][:2] == ["tau1", "tau1_predicted"]
    axes = response.plot()
    assert axes.get_xscale() == "log" and axes.get_xlabel() == "frequency [Hz]" and np.array_equal(axes.get_lines()[0].get_xdata(), response["frequency"])
    assert len(shaken.plot("tau1", "tau2").get_lines()) == 2
    pytest.importorskip("pandas")
    parameters = found.to_pandas("parameters")
    assert parameters.loc["viscous1", "estimate"] == next(p["estimate"] for p in found.answer["parameters"] if p["name"] == "viscous1")
    assert response.to_pandas().index.name == "frequency" and list(compared.to_pandas().index) == [run["run"] for run in compared.answer]
    assert compared.to_pandas()["energy.supplied"].iloc[0] == compared.answer[0]["energy"]["supplied"]
    with pytest.raises(KeyError, match="its answer has 'parameters'"):
        found.to_pandas("params")


def long_work(name, folder):
    """Work that takes minutes."""
    (folder / "short.yaml").write_text(json.dumps(SCENARIO))
    (folder / "long.yaml").write_text(json.dumps({**SCENARIO, "run": {"duration": "3000 s"}, "reference": {"kind": "polynomial", "to": 0.5, "duration": "2000 s"}}))
    (folder / "many.yaml").write_text(json.dumps({"campaign": "gains", "scenario": "short.yaml", "vary": {"controller.kp.*": {"uniform": [300, 500]}},
                                                  "plan": {"kind": "monte_carlo", "runs": 1000000}, "require": {"tool_largest": "below 1 m"}}))
    if name == "identify":
        panda, t, rates = armature.load("panda"), np.arange(0, 60, 1e-3)[:, None], 0.7 + 0.37 * np.arange(7)
        middle = (panda.limits.lower + panda.limits.upper) / 2
        q, v, a = middle + 0.5 * np.sin(rates * t), 0.5 * rates * np.cos(rates * t), -0.5 * rates ** 2 * np.sin(rates * t)
        log = _log_file({"time": t[:, 0], "q": q, "tau": panda.inverse_dynamics(q, v, a, friction=True)}, str(folder))
        return lambda: armature.identify(panda, log)
    return {"simulate": lambda: armature.simulate(folder / "long.yaml"), "compare": lambda: armature.compare([folder / "long.yaml"] * 2),
            "excite": lambda: armature.excite("rrr", effort=1000, starts=1000), "command": lambda: armature.command("excite", "rrr", effort=1000, starts=1000),
            "campaign": lambda: armature.campaign(folder / "many.yaml", folder=folder / "runs")}[name]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["simulate", "compare", "excite", "campaign", "identify", "command"])
def test_ctrl_c_is_heard_in_all_of_the_chain(name, tmp_path, monkeypatch, ctrl_c):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    work = long_work(name, tmp_path)
    with pytest.raises(armature.Interrupted) as caught:
        work()
    result = caught.value.result
    if name in ("simulate", "compare", "excite"):
        assert not result.complete and "what there was" in str(caught.value)
        result.page(tmp_path / "page.html")
    if name == "identify":
        assert result is None  # it has nothing before its end
    if name == "campaign":
        kept = len(np.load(tmp_path / "runs" / "runs.npy"))
        assert kept > 0
        assert armature.campaign(tmp_path / "many.yaml", folder=tmp_path / "runs", runs=kept + 8).answer
        assert len(np.load(tmp_path / "runs" / "runs.npy")) >= kept
    del result, caught
    assert os.listdir(tmp_path / "temporary") == []  # nothing stays behind


def test_a_bar_says_how_far_it_is(capfd):
    armature.simulate(SCENARIO, run={"duration": "60 s"}, progress=True)
    assert re.search(r"\r\[#*-*\]\s+\d+ %   simulated", capfd.readouterr().err)
    armature.simulate(SCENARIO)  # nobody watches
    assert capfd.readouterr().err == ""
