"""Functions for devices: the text that a graphics processor runs, compiled for this machine, on numpy arrays."""
import numpy as np
import pytest

import armature

QUANTITIES = {"inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "gravity": 1, "jacobian": 1, "forward_kinematics": 1}


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMATURE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def arm():
    return armature.load("rpr")


@pytest.fixture(scope="module")
def gravity(arm):
    return arm.device_function("gravity", device="host", effort=0)


def usual(arm, quantity, inputs):
    found = getattr(arm, quantity)(*inputs)
    return np.hstack([found.position, found.quaternion]) if quantity == "forward_kinematics" else found


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_device_computes_what_the_library_computes(arm, quantity):
    f = arm.device_function(quantity, device="host", effort=0)
    inputs = list(np.random.default_rng(3).uniform(-1, 1, (QUANTITIES[quantity], 50, arm.dof)))
    wanted = usual(arm, quantity, inputs)
    scale = np.abs(wanted).max()
    assert np.abs(f(*inputs) - wanted).max() < 1e-12 * scale
    assert np.abs(f(*(np.asfortranarray(x) for x in inputs)) - wanted).max() < 1e-12 * scale  # number by number
    assert np.abs(f(*(x[::-2] for x in inputs)) - wanted[::-2]).max() < 1e-12 * scale
    assert np.abs(f(*(x[0] for x in inputs)) - wanted[0]).max() < 1e-12 * scale
    single = f(*(x.astype(np.float32) for x in inputs))
    assert single.dtype == np.float32 and np.abs(single - wanted).max() < 1e-4 * scale
    wide = np.zeros((50, 2, *wanted.shape[1:]))
    assert f(*inputs, out=wide[:, 1]) is not None and np.abs(wide[:, 1] - wanted).max() < 1e-12 * scale and not wide[:, 0].any()


def test_one_array_may_be_the_same_for_all_states(arm):
    f = arm.device_function("inverse_dynamics", device="host", effort=0)
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, 20, arm.dof))
    assert np.allclose(f(q, qd[0], qdd), arm.inverse_dynamics(q, qd[0], qdd), rtol=1e-12, atol=1e-12)
    assert f(q[:0], qd[:0], qdd[:0]).shape == (0, arm.dof)


@pytest.mark.parametrize("inputs, words", [
    (([0.0, 0.0, 0.0],), "speaks DLPack"),
    ((np.zeros((4, 2)),), "has the shape"),
    ((np.zeros(3, int),), "no float64 or float32"),
    ((np.zeros(3), np.zeros(3)), "takes q"),
])
def test_wrong_arrays_are_refused_with_a_sentence(gravity, inputs, words):
    with pytest.raises(armature.Error, match=words):
        gravity(*inputs)


def test_wrong_results_are_refused_with_a_sentence(arm, gravity):
    q = np.zeros((4, 3))
    for out, words in [(np.zeros((4, 2)), "out has the shape"), (np.zeros((4, 3), np.float32), "mixed")]:
        with pytest.raises(armature.Error, match=words):
            gravity(q, out=out)
    mass = arm.device_function("mass_matrix", device="host", effort=0)
    with pytest.raises(armature.Error, match="one after the other"):
        mass(q, out=np.zeros((4, 3, 6))[:, :, ::2])


def test_other_quantities_and_devices_are_refused(arm):
    with pytest.raises(armature.Error, match="not computed on a device"):
        arm.device_function("energy", device="host")
    with pytest.raises(armature.Error, match="there is no device 'tpu'"):
        arm.device_function("gravity", device="tpu")


def test_an_array_elsewhere_is_refused(gravity):
    class OnCuda:
        dtype = np.dtype(float)

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, stream=None):
            return np.zeros(3).__dlpack__()

    with pytest.raises(armature.Error, match="does not lie in the memory of the device"):
        gravity(OnCuda())


# Rollouts: the closed loop of a scenario.

REACH = {"robot": "rrr", "seed": 4, "start": {"q": [0, -0.7, 1.2]}, "sensors": {"position_noise": 1e-5, "encoder": 2e-5},
         "reference": {"kind": "polynomial", "from": [0, -0.7, 1.2], "to": [0.2, -0.6, 1.1], "duration": "0.2 s"},
         "controller": {"kind": "joint_pd", "kp": [500, 500, 200], "kd": [40, 40, 10]}, "run": {"duration": "0.3 s", "tick": "1 ms", "method": "rk4"}}
VARY = ["start.q", "start.v", "controller.kp", "sensors.position_noise"]
JOINTS = ("rms", "largest", "end")


@pytest.fixture(scope="module")
def rollout():
    metrics = [f"q{i + 1}_{what}" for i in range(3) for what in JOINTS]
    return armature.device_rollout(REACH, VARY, metrics=["tool_largest", "dissipated", "settling", *metrics], device="host", effort=0)


@pytest.fixture(scope="module")
def runs():
    random = np.random.default_rng(5)
    near = lambda middle, width: np.asarray(middle) + random.uniform(-width, width, (4, len(middle)))
    return {"start.q": near([0, -0.7, 1.2], 0.02), "start.v": near([0, 0, 0], 0.1), "controller.kp": near([500, 500, 200], 50),
            "sensors.position_noise": random.uniform(1e-6, 1e-4, 4)}, np.arange(100, 104)


def simulated(inputs, seed, k):
    return armature.simulate(REACH, start={"q": inputs["start.q"][k], "v": inputs["start.v"][k]}, controller={"kp": inputs["controller.kp"][k]},
                             sensors={"position_noise": inputs["sensors.position_noise"][k]}, seed=int(seed[k]), progress=False)


def test_rollouts_are_the_runs_that_simulate_makes(rollout, runs):
    inputs, seed = runs
    assert rollout.inputs == {"start.q": 3, "start.v": 3, "controller.kp": 3, "sensors.position_noise": 1}
    found = rollout(inputs, seed=seed)
    assert list(found)[:2] == ["outcome", "tool_largest"] and found["q"].shape == (4, 3) and not found["outcome"].any()
    for k in range(4):
        log = simulated(inputs, seed, k)
        error = log.stacked("q{}_ref") - log.stacked("q")
        assert np.abs(found["q"][k] - log.stacked("q")[-1]).max() < 1e-9
        assert np.abs(found["qd"][k] - log.stacked("v")[-1]).max() < 1e-8
        for i in range(3):
            for what, value in zip(JOINTS, (np.sqrt((error[:, i] ** 2).mean()), np.abs(error[:, i]).max(), abs(error[-1, i]))):
                assert abs(found[f"q{i + 1}_{what}"][k] - value) < 1e-9


def test_rollouts_take_arrays_of_any_layout(rollout, runs):
    inputs, seed = runs
    wanted = rollout(inputs, seed=seed)
    turned = rollout({key: np.asfortranarray(x)[::-1] for key, x in inputs.items()}, seed=seed[::-1].copy())
    wide = np.zeros((4, 2 * len(rollout.results)))
    strided = rollout(inputs, seed=seed, out=wide[:, ::2].T)
    single = rollout({key: x.astype(np.float32) for key, x in inputs.items()}, seed=seed)
    for name, values in wanted.items():
        assert np.array_equal(turned[name][::-1], values, equal_nan=True) and np.array_equal(strided[name], values, equal_nan=True)
        assert single[name].dtype == np.float32
    assert not wide[:, 1::2].any()
    assert np.abs(single["q"] - wanted["q"]).max() < 1e-2
    one = rollout({"start.q": inputs["start.q"][0], "sensors.position_noise": inputs["sensors.position_noise"]}, seed=seed)
    assert one["tool_largest"].shape == (4,) and len(set(one["tool_largest"])) == 4
    assert rollout({"start.q": inputs["start.q"][:0]})["q"].shape == (0, 3)


def test_what_rollouts_are_not_given_is_the_scenarios(rollout):
    log = armature.simulate(REACH, progress=False)
    for found in (rollout({"start.q": np.array([0, -0.7, 1.2])}), rollout(out=np.empty((len(rollout.results), 1)))):
        assert found["q"].shape == (1, 3) and np.abs(found["q"][0] - log.stacked("q")[-1]).max() < 1e-9


def test_a_run_of_what_is_not_finite_has_diverged(rollout):
    found = rollout({"start.q": np.array([[0, -0.7, 1.2], [np.nan, 0, 0]])})
    assert list(found["outcome"]) == [0, 1] and list(np.isnan(found["tool_largest"])) == [False, True]


@pytest.mark.parametrize("inputs, more, words", [
    ({"start.q": np.zeros((4, 2))}, {}, "start.q has the shape"),
    ({"start.q": np.zeros((4, 3), int)}, {}, "no float64 or float32"),
    ({"start.q": [0.0, 0.0, 0.0]}, {}, "speaks DLPack"),
    ({"start.q": np.zeros((4, 3)), "controller.kp": np.zeros((5, 3))}, {}, "of 4 runs and controller.kp of 5"),
    ({"start.q": np.zeros((4, 3)), "controller.kp": np.zeros((4, 3), np.float32)}, {}, "mixed"),
    ({"start.x": np.zeros(3)}, {}, "'start.x' does not vary"),
    ({"start.q": np.zeros((4, 3))}, {"seed": np.zeros(3, int)}, "of 4 runs and seed of 3"),
    ({"start.q": np.zeros((4, 3))}, {"seed": np.zeros(4)}, "no 64-bit integers"),
    ({"start.q": np.zeros((4, 3))}, {"seed": np.arange(8)[::2]}, "one number after the other"),
    ({"start.q": np.zeros((4, 3))}, {"out": np.zeros((4, 3))}, "out has the shape"),
    ({}, {"seed": np.arange(3)}, "neither an input nor out"),
])
def test_wrong_arrays_of_rollouts_are_refused_with_a_sentence(rollout, inputs, more, words):
    with pytest.raises(armature.Error, match=words):
        rollout(inputs, **more)


@pytest.mark.parametrize("arguments, settings, words", [
    ({"vary": ["start.x"]}, {}, "start"),
    ({"vary": "start.q"}, {}, "vary is a text"),
    ({"vary": ["reference.duration"]}, {}, "a constant of a kernel"),
    ({}, {"metrics": ["tool_larges"]}, "there is no metric 'tool_larges'"),
    ({}, {"run": {"method": "auto"}}, "no kernel computes these rollouts: run.method is 'auto'"),
    ({}, {"nonsense": 3}, "nonsense"),
    ({}, {"device": "tpu"}, "there is no device 'tpu'"),
    ({}, {"effort": -1}, "effort"),
])
def test_rollouts_that_cannot_be_are_refused_with_a_sentence(arguments, settings, words):
    with pytest.raises(armature.Error, match=words):
        armature.device_rollout(REACH, **arguments, **{"device": "host", **settings})


def test_without_a_compiler_there_is_a_sentence(monkeypatch):
    monkeypatch.setenv("NVCC", "/nowhere/nvcc")
    with pytest.raises(armature.Error, match="there is no CUDA compiler '/nowhere/nvcc'"):
        armature.device_rollout(REACH, ["start.q"])
    monkeypatch.setenv("NVCC", "/bin/false")
    with pytest.raises(armature.Error, match="did not accept"):
        armature.device_rollout(REACH, ["start.q"])


def test_an_array_of_this_machine_is_refused_by_a_graphics_processor(monkeypatch):
    monkeypatch.setenv("CUDA_ARCH", "sm_90")
    try:
        rollout = armature.device_rollout(REACH, ["start.q"])
    except armature.Error as error:
        pytest.skip(f"no CUDA compiler here: {error.finding.splitlines()[0]}")
    with pytest.raises(armature.Error, match="does not lie in the memory of the device"):
        rollout({"start.q": np.zeros((2, 3))})
