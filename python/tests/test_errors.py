"""Wrong input: a sentence with place, finding and hint; never a crash."""
import ctypes
import os
import pickle

import numpy as np
import pytest

import armature
from armature._library import Input, lib

Z = np.zeros(3)


def refused(call, says):
    with pytest.raises(armature.Error) as caught:
        call()
    assert says in str(caught.value)
    assert caught.value.finding
    return caught.value


@pytest.mark.parametrize("q, says", [
    (np.zeros(4), "q has the shape (4,)"), (np.zeros((2, 2)), "q has the shape (2, 2)"), (np.zeros((1, 1, 3)), "shape (1, 1, 3)"),
    (0.5, "q has the shape ()"), ([], "q has the shape (0,)"), (np.zeros(3, complex), "complex128"), (["a", "b", "c"], "type <U1"),
    (None, "type object"), ([[1, 2], [3]], "q"), (np.array([1, 0, 1], bool), "type bool"),
    (np.array(["2020"] * 3, "datetime64"), "datetime64"), (np.ma.masked_array([1.0, 2, 3], [0, 1, 0]), "masked"),
    ([np.nan, 0, 0], "is not a finite number"), ([0, np.inf, 0], "is not a finite number"), (np.array([0, 0, np.nan], np.float32), "finite"),
    ([1e308, 1e308, 0], "finite"),
])
def test_states_that_are_none(rrr, q, says):
    refused(lambda: rrr.inverse_dynamics(q, [1e200] * 3, Z), says)


def test_a_bad_state_among_many_is_named_by_its_number_and_its_joint(rrr):
    q = np.zeros((5000, 3))
    q[4000, 1] = q[700, 2] = np.nan
    error = refused(lambda: rrr.inverse_dynamics(q, Z, Z), "state 700: the position of joint 'elbow' is not a finite number")
    assert (error.place, error.hint) == ("state 700", "every number of a state must be finite")
    refused(lambda: rrr.inverse_dynamics(np.zeros((2, 3)), np.zeros((3, 3)), Z), "q has 2 rows and qd has 3")


def test_outputs_that_cannot_be_written(rrr):
    read_only = np.zeros(3)
    read_only.flags.writeable = False
    for out, says in [(np.zeros(4), "out has the shape (4,)"), (np.zeros(3, int), "int64"), ([0, 0, 0], "list"), (read_only, "read-only"),
                      (np.zeros(3, ">f8"), ">f8")]:
        refused(lambda: rrr.gravity(Z, out=out), says)
        if not isinstance(out, list):
            refused(lambda: rrr.bind("gravity", Z, out=out), "out")
    refused(lambda: rrr.bind("gravity", np.zeros((3, 2))[:, 0]), "contiguous")
    refused(lambda: rrr.bind("gravity"), "gravity takes q")


def test_settings_that_are_none(rrr):
    assert "did you mean 'forearm'" in refused(lambda: rrr.jacobian(Z, frame="forarm"), "no link 'forarm'").hint
    refused(lambda: rrr.function("gravity", friction=True), "friction changes nothing about gravity")
    assert "inverse-dynamics" in refused(lambda: rrr.function("inverse_dynamic"), "cannot compute").hint
    refused(lambda: rrr.function("inverse_dynamics", fiction=True), "fiction")
    refused(lambda: rrr.inverse_dynamics(Z, Z, Z, wrench=[1, 2, 3]), "wrench")
    refused(lambda: rrr.inverse_dynamics(Z, Z, Z, wrench=[1, 2, 3, 4, 5, np.nan]), "nan")
    refused(lambda: rrr.inverse_dynamics(Z, Z, Z, method=object()), "type object")


def test_arms_that_are_none(tmp_path):
    assert "did you mean 'panda'" in refused(lambda: armature.load("pand"), "pand").hint
    refused(lambda: armature.load(tmp_path / "none.urdf"), "none.urdf")
    refused(lambda: armature.load("panda", tip="hand"), "chain")
    refused(lambda: armature.load("a\0b"), "zero byte")
    (tmp_path / "bad.yaml").write_text("arm: bad\njoints:\n  - name: one\n    dh: {theta: 0, d: 0, a: 1, alhpa: 0}\n")
    error = refused(lambda: armature.load(tmp_path / "bad.yaml"), "alhpa")
    assert error.place.endswith("bad.yaml:4:32") and "alpha" in error.hint
    refused(lambda: armature.Arm.from_dh([]), "no joints")
    refused(lambda: armature.Arm.from_dh([{"a": 1, "mass": -1, "com": [0, 0, 0], "inertia": {"xx": 0, "yy": 0, "zz": 0}}]), "mass")
    refused(lambda: armature.Arm.from_dh([{"a": 1}]), "mass")
    refused(lambda: armature.Arm.from_dh([{"aa": 1}], as_given=True), "aa")
    with pytest.raises(TypeError):
        armature.Arm("panda")
    again = pickle.loads(pickle.dumps(error))
    assert (again.place, again.finding, again.hint) == (error.place, error.finding, error.hint)


def test_targets_that_are_none(rrr):
    for target, says in [(Z[:2], "shape (2,)"), (np.zeros((2, 2, 3)), "shape"), ([np.nan, 0, 0], "not finite"), ([0, 0, 1, 2, 0, 0, 0], "length"),
                         (2 * np.eye(4), "rotation")]:
        refused(lambda: rrr.inverse_kinematics(target), says)
    refused(lambda: rrr.inverse_kinematics([1.0, 0, 0], guess=[0, 0]), "guess has the shape (2,)")
    refused(lambda: rrr.inverse_kinematics([1.0, 0, 0], method="magic"), "magic")


def test_null_pointers_and_wrong_counts_are_refused_by_the_library(rrr):
    def says(status):
        assert status == 2
        return lib.armature_error().decode()

    handle = ctypes.c_void_p()
    here = ctypes.byref(handle)
    assert "'name_or_path' is a null pointer" in says(lib.armature_arm_load(None, None, 0, here))
    assert "'arm' is a null pointer" in says(lib.armature_arm_load(b"rrr", None, 0, None))
    assert "'settings' is a null pointer" in says(lib.armature_arm_load(b"rrr", None, 3, here))
    assert "null pointer" in says(lib.armature_arm_load(b"rrr", (ctypes.c_char_p * 1)(None), 1, here))
    assert "no '='" in says(lib.armature_arm_load(b"rrr", (ctypes.c_char_p * 1)(b"tip"), 1, here))
    assert "null pointer" in says(lib.armature_arm_from_text(None, None, None, 0, here))
    assert "null pointer" in says(lib.armature_arm_replace(None, None, 0, here))
    assert "null pointer" in says(lib.armature_arm_save(None, b"x.yaml"))
    assert "null pointer" in says(lib.armature_arm_limits(None, None, None, None, None, None))
    assert "null pointer" in says(lib.armature_arm_parameters(None, np.zeros(30).ctypes.data))
    assert "null pointer" in says(lib.armature_arm_parameters(rrr._handle, None))
    assert "null pointer" in says(lib.armature_function_new(None, b"gravity", None, 0, here))
    assert "null pointer" in says(lib.armature_function_new(rrr._handle, None, None, 0, here))
    assert "null pointer" in says(lib.armature_simulate(None, None, None, 0, None, ctypes.cast(None, lib.armature_simulate.argtypes[5]), None, here))
    assert "null pointer" in says(lib.armature_law_new(None, 1e-3, None, 0, here))
    assert "null pointer" in says(lib.armature_law_reset(None, None))
    assert "null pointer" in says(lib.armature_law_update(None, None, None))
    assert "null pointer" in says(lib.armature_derive(None, b"gravity", b"c", None, 0, here))
    assert "null pointer" in says(lib.armature_result_write_page(None, b"x"))
    assert handle.value is None  # nothing was made
    function = rrr.function("gravity")._handle
    pointer = ctypes.c_void_p
    assert "takes 1 inputs, not 2" in says(lib.armature_function_state(function, pointer(0), ctypes.c_size_t(2), pointer(0)))
    assert "null pointer" in says(lib.armature_function_state(function, pointer(0), ctypes.c_size_t(1), pointer(0)))
    assert "null pointer" in says(lib.armature_function_state(pointer(0), pointer(0), ctypes.c_size_t(1), pointer(0)))
    empty = Input(None, 0, 0, 0)
    assert "null pointer" in says(lib.armature_function_states(function, 5, ctypes.byref(empty), 1, ctypes.byref(empty), 0))
    assert lib.armature_function_states(function, 0, ctypes.byref(empty), 1, ctypes.byref(empty), 0) == 0
    wrong = Input(Z.ctypes.data, 7, 0, 8)
    assert "type 7" in says(lib.armature_function_states(function, 1, ctypes.byref(wrong), 1, ctypes.byref(wrong), 0))
    good = Input(Z.ctypes.data, 0, 0, 8)
    assert "-1 threads" in says(lib.armature_function_states(function, 1, ctypes.byref(good), 1, ctypes.byref(good), -1))
    for free in (lib.armature_arm_free, lib.armature_function_free, lib.armature_result_free, lib.armature_law_free):
        free(None)
    for ask in (lib.armature_arm_name, lib.armature_arm_text, lib.armature_function_inputs, lib.armature_result_json, lib.armature_result_text):
        assert ask(None) is None
    for ask in (lib.armature_arm_joint_name, lib.armature_arm_link_name, lib.armature_arm_warning, lib.armature_function_part, lib.armature_law_part, lib.armature_law_condition,
                lib.armature_result_name, lib.armature_result_unit, lib.armature_result_array):
        assert ask(None, 0) is None
    assert lib.armature_arm_dof(None) == 0 and lib.armature_arm_joint_name(rrr._handle, 99) is None


def test_an_error_belongs_to_its_thread(rrr):
    import threading
    lib.armature_arm_load(None, None, 0, None)
    mine = lib.armature_error()
    other = []
    thread = threading.Thread(target=lambda: other.append(lib.armature_error()))
    thread.start(), thread.join()
    assert other == [b""] and lib.armature_error() == mine


def test_nothing_is_left_of_a_file_that_cannot_be_written(rrr, tmp_path):
    refused(lambda: rrr.save(tmp_path / "none" / "x.yaml"), "cannot be written")
    refused(lambda: rrr.save(tmp_path), "neither")
    refused(lambda: rrr.save(tmp_path / "x.txt"), "neither in .yaml nor in .urdf")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the address sanitizer keeps what is freed")
def test_making_and_freeing_leaks_nothing(tmp_path):
    import resource

    def rounds(count):
        for _ in range(count):
            arm = armature.load("rrr")
            arm.gravity([0.0, 0, 0])
            try:
                armature.load("nobody")
            except armature.Error:
                pass

    rounds(300)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(100_000 if os.environ.get("ARMATURE_LONG_TESTS") else 1500)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # [KiB]: a leaked arm is some 10


def test_settings_that_are_hostile(rrr):
    """Deep, long, not text, not YAML: a sentence each."""
    for key, value in [(".".join("a" * 100_000), "1"), ("a" * 1_000_000, "1"), ("lock.", "1"), (".", "1"), ("tip", "[" * 100_000), ("tip", "{a: &x 1, b: *x}"),
                       ("tip", "\x01"), ("tip", "x" * 2_000_000), ("as_given", "perhaps"), ("lock", "[1, 2]"), ("tip", "")]:
        handle = ctypes.c_void_p()
        settings = (ctypes.c_char_p * 1)(f"{key}={value}".encode())
        assert lib.armature_arm_load(b"rrr", settings, 1, ctypes.byref(handle)) == 2, key[:20]
        assert lib.armature_error_finding() and handle.value is None
    broken = (ctypes.c_char_p * 1)(b"tip=\xff\xfe")
    assert lib.armature_arm_load(b"rrr", broken, 1, ctypes.byref(ctypes.c_void_p())) == 2
    lib.armature_error().decode()  # what is said of it is UTF-8


def test_descriptions_that_are_hostile(tmp_path):
    for text in ["", " ", "[", "arm", "arm: x", "{" * 100_000, "arm: x\njoints: [" + "{}," * 1000 + "{}]", "\ufeff", "a: " + "b" * 2_000_000]:
        with pytest.raises(armature.Error) as caught:
            armature._arm._from_text(text)
        assert caught.value.finding
    with pytest.raises(armature.Error):
        armature.Arm.from_dh([{"a": 1e400, "mass": 1}])
    with pytest.raises(armature.Error):
        armature.Arm.from_dh([{"a": 1}] * 40, as_given=True)
