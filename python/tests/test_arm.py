"""Arms: described, changed, saved."""
import pickle
import shutil
import time

import numpy as np
import pytest

import armature


def test_a_pendulum_is_what_the_book_says(pendulum):
    m, l, g = 2.0, 0.5, 9.81
    inertia = m * l * l + 1e-3
    for angle in (0.0, 0.7, -2.0):
        assert np.allclose(pendulum.gravity([angle]), m * g * l * np.cos(angle), rtol=1e-12, atol=1e-12)
        assert np.allclose(pendulum.mass_matrix([angle]), inertia, rtol=1e-12)
        assert np.allclose(pendulum.inverse_dynamics([angle], [3.0], [2.0]), 2 * inertia + m * g * l * np.cos(angle), atol=1e-12)
        assert np.allclose(pendulum.energy([angle], [3.0]).kinetic, 0.5 * inertia * 9)
        assert np.allclose(pendulum.forward_kinematics([angle]).position, [l * np.cos(angle), l * np.sin(angle), 0], atol=1e-15)
        assert np.allclose(pendulum.jacobian([angle]).ravel(), [-l * np.sin(angle), l * np.cos(angle), 0, 0, 0, 1], atol=1e-15)


def test_a_dh_table_in_degrees_with_a_sliding_joint():
    tensor = {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3}
    arm = armature.Arm.from_dh([{"name": "turn", "alpha": "90 deg", "d": "400 mm", "mass": 5, "com": [0, 0, 0], "inertia": tensor},
                                {"name": "slide", "type": "prismatic", "mass": 3, "com": [0, 0, 0], "inertia": tensor}], name="rp")
    assert (arm.name, arm.dof, arm.joint_names, arm.slides.tolist()) == ("rp", 2, ["turn", "slide"], [False, True])
    assert np.allclose(arm.forward_kinematics([0, 0.3]).position, [0, -0.3, 0.4], atol=1e-15)
    assert np.allclose(arm.mass_matrix([0.2, 0.3]), np.diag([3 * 0.09 + 2e-3, 3]), atol=1e-12)


def test_what_is_known_of_an_arm(panda):
    assert panda.dof == 7 and len(panda.joint_names) == 7 and "panda" in repr(panda) and panda.generated
    limits = panda.limits
    assert np.all(limits.lower < limits.upper) and np.all(limits.torque > 0)
    free = armature.Arm.from_dh([{"a": 1}], as_given=True).limits
    assert free.lower == [-np.inf] and free.upper == [np.inf] and free.torque == [np.inf]


def test_a_payload_weighs_what_it_weighs(rrr):
    rrr = rrr.replace(gravity=[0, 0, -9.80665])
    carrying = rrr.replace(payload=2.0)
    q = np.array([[0.1, 0.5, -0.4], [1.0, -0.3, 0.2]])
    J = rrr.jacobian(q)
    weight = np.array([0, 0, -2.0 * 9.80665, 0, 0, 0])
    assert np.allclose(carrying.gravity(q) - rrr.gravity(q), -np.swapaxes(J, 1, 2) @ weight, atol=1e-10)
    assert rrr.gravity(q[0])[1] != carrying.gravity(q[0])[1]  # the first arm is as it was
    assert np.allclose(rrr.replace(gravity=[0, 0, 0]).gravity(q), 0)
    assert rrr.replace(name="mine").name == "mine"
    with pytest.raises(armature.Error, match="payloda"):
        rrr.replace(payloda=2)
    with pytest.raises(armature.Error, match="mass"):
        rrr.replace(payload=-1)


@pytest.mark.parametrize("kind", ["yaml", "urdf"])
def test_a_saved_arm_is_the_same_arm(panda, tmp_path, kind):
    path = tmp_path / f"arm.{kind}"
    panda.save(path)
    again = armature.load(path)
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 4, 7))
    tau = again.inverse_dynamics(q, qd, qdd)
    if kind == "yaml":
        assert again.text == panda.text and np.array_equal(tau, panda.inverse_dynamics(q, qd, qdd))
    else:
        assert np.allclose(tau, panda.inverse_dynamics(q, qd, qdd), atol=1e-9)
        shorter = armature.load(path, tip=again.link_names[3])
        assert shorter.dof == 4
        held = armature.load(path, lock={panda.joint_names[1]: "20 deg"})
        assert held.dof == 6 and panda.joint_names[1] not in held.joint_names
        full = np.insert(q[0, :6], 1, np.deg2rad(20))
        assert np.allclose(held.forward_kinematics(q[0, :6]).matrix, panda.forward_kinematics(full).matrix, atol=1e-9)


def test_arms_can_be_pickled(rrr):
    again = pickle.loads(pickle.dumps(rrr))
    assert np.array_equal(again.gravity([0.1, 0.2, 0.3]), rrr.gravity([0.1, 0.2, 0.3]))


def test_generated_python_computes_the_same(rrr, tmp_path):
    text = rrr.derive("inverse_dynamics", lang="python", effort=0)
    module = {}
    exec(compile(text, "rrr.py", "exec"), module)
    function = next(value for name, value in module.items() if callable(value) and "inverse_dynamics" in name)
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 3))
    assert np.allclose(np.ravel(function(q, qd, qdd)), rrr.inverse_dynamics(q, qd, qdd), atol=1e-10)
    assert "inverse_dynamics" in rrr.derive(lang="c", effort=0)
    with pytest.raises(armature.Error, match="there is no language"):
        rrr.derive(lang="fortran")


def test_a_compiled_arm_computes_the_same_from_functions_that_are_kept(tmp_path):
    if not shutil.which("c++"):
        pytest.skip("there is no C++ compiler")
    arm = armature.load("rrr").replace(payload=1.5)
    assert not arm.generated
    quick = arm.compile(tmp_path / "cache", effort=0)
    assert quick.generated and len(list((tmp_path / "cache").iterdir())) == 1
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 20, 3))
    assert np.allclose(quick.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    assert np.allclose(quick.forward_dynamics(q, qd, qdd), arm.forward_dynamics(q, qd, qdd), rtol=1e-10, atol=1e-10)
    start = time.perf_counter()
    assert arm.compile(tmp_path / "cache", effort=0).generated and time.perf_counter() - start < 0.5  # not compiled again
    with pytest.raises(armature.Error, match="cannot be made"):
        arm.compile("/proc/none", effort=0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / next((tmp_path / "cache").iterdir()).name).write_bytes(b"no library")
    assert arm.compile(tmp_path / "other", effort=0).generated  # made again


@pytest.mark.filterwarnings("ignore")
def test_links_and_parameters_are_those_of_the_dynamics():
    for name in armature.arms():
        arm = armature.load(name)
        q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, arm.dof))
        tau = arm.inverse_dynamics(q, qd, qdd)
        assert np.allclose(arm.regressor(q, qd, qdd) @ arm.parameters, tau, rtol=1e-10, atol=1e-10 * np.abs(tau).max()), name
        assert len(arm.links) == arm.dof and all(link.mass >= 0 and link.com.shape == (3,) for link in arm.links)
    tensor = np.array([[1e-3, 1e-4, 0], [1e-4, 2e-3, 0], [0, 0, 2.5e-3]])
    link, = armature.Arm.from_dh([{"name": "hinge", "a": 0.5, "mass": 2.0, "com": [-0.1, 0.2, 0.3],
                                   "inertia": {"xx": 1e-3, "yy": 2e-3, "zz": 2.5e-3, "xy": 1e-4}}]).links
    assert (link.joint, link.mass) == ("hinge", 2.0) and np.allclose(link.com, [-0.1, 0.2, 0.3])
    assert np.allclose(link.inertia, tensor, atol=1e-12)
