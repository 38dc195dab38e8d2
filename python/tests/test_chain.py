"""From a scenario to a log, from a log to an arm: what the program does, with arrays."""
import concurrent.futures
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import program

import armature
from armature._arm import _from_text
from armature._chain import _log_file
from armature._library import Progress, check, lib, settings_of
from armature._results import NativeResult

SCENARIO = {"scenario": "reach", "robot": "rrr", "reference": {"kind": "polynomial", "to": 0.5, "duration": "0.5 s"},
            "controller": {"kind": "computed_torque", "kp": 400, "kd": 40, "friction": True}, "run": {"duration": "0.6 s"}}


def shaken_for(duration):
    return armature.simulate({
        "scenario": "shaken", "robot": "rrr", "seed": 3, "sensors": {"encoder": 1e-5, "torque_noise": 0.05},
        "reference": {"kind": "fourier", "from": [0, "-45 deg", "90 deg"], "base_frequency": "0.2 Hz",
                      "sine": [[0.5, 0.3], [0.4, -0.3], [0.6, 0.2]], "cosine": [[0.2, -0.2], [0.1, -0.1], [0.3, -0.3]]},
        "controller": {"kind": "joint_pd", "kp": [2000, 2000, 600], "kd": [100, 100, 25]}, "run": {"duration": duration}})


@pytest.fixture(scope="module")
def shaken():
    """A log of an arm that is shaken well."""
    return shaken_for("11 s")


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


def test_a_run_that_is_interrupted_keeps_its_log():
    long = {**SCENARIO, "run": {"duration": "3000 s"}, "reference": {"kind": "polynomial", "to": 0.5, "duration": "2000 s"}}
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(armature.Interrupted) as caught:
        armature.simulate(long)
    assert time.monotonic() - start < 20
    run = caught.value.result
    assert not run.complete and 0 < run.time[-1] < 3000 and len(run["q1"]) == len(run.time)


def test_a_verb_that_is_interrupted_keeps_what_it_has():
    threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(armature.Interrupted) as caught:
        armature.excite("panda", effort=1000)
    motion = caught.value.result
    assert not motion.complete and motion.stacked("q").shape[1] == 7


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
    status, motion = run("excite", "panda", "--effort", "1000", "--json", progress=lambda user, share: shares.append(share) or int(len(shares) > 15))
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
