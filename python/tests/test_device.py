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
