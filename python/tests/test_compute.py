"""Numbers: against the program bit for bit, against laws, in every layout."""
import concurrent.futures

import numpy as np
import pytest
from conftest import QUANTITIES, STARTS, flat, program, states

import armature


def table(path, letters, inputs):
    columns = [f"{STARTS[letter]}{i + 1}" for letter in letters for i in range(inputs[0].shape[1])]
    rows = np.hstack(inputs)
    path.write_text(",".join(columns) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist()))


@pytest.mark.parametrize("name", armature.arms())
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_of_every_built_in_arm_is_that_of_the_program_to_the_bit(name, quantity, tmp_path):
    arm = armature.load(name)
    inputs = states(arm, QUANTITIES[quantity], 7)
    table(tmp_path / "in.csv", QUANTITIES[quantity], inputs)
    program("compute", quantity.replace("_", "-"), name, "--in", tmp_path / "in.csv", "--out", tmp_path / "out.csv")
    expected = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, ndmin=2)
    assert np.array_equal(flat(arm, quantity, inputs), expected)


def random_arm(seed):
    """1 to 16 joints that turn or slide, placed anyhow, with the inertia of a few points and a rotor behind a gear."""
    random = np.random.default_rng(seed)
    rows = []
    for joint in range([1, 2, 6, 16][seed % 4]):
        masses, points = random.uniform(0.1, 2, 5), random.uniform(-0.3, 0.3, (5, 3))
        com = masses @ points / masses.sum()
        away = points - com
        tensor = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, away))
        rows.append({"type": "prismatic" if random.uniform() < 0.3 else "revolute", "mass": masses.sum(), "com": com,
                     **dict(zip(("theta", "d", "a", "alpha"), random.uniform(-1, 1, 4))),
                     "inertia": {name: tensor[i, k] for name, i, k in (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))},
                     "friction": {"law": "coulomb_viscous", "coulomb": random.uniform(0, 2), "viscous": random.uniform(0, 2)}})
    return armature.Arm.from_dh(rows, name=f"random{seed}", convention=["standard", "modified"][seed % 2], gravity=random.uniform(-10, 10, 3))


@pytest.mark.parametrize("seed", range(4))
def test_random_arms_are_computed_as_by_the_program_to_the_bit(seed, tmp_path):
    arm = random_arm(seed)
    arm.save(tmp_path / "arm.yaml")
    assert not arm.generated
    for quantity, letters in QUANTITIES.items():
        inputs = states(arm, letters, 9, seed)  # eight at once, and one
        table(tmp_path / "in.csv", letters, inputs)
        program("compute", quantity.replace("_", "-"), tmp_path / "arm.yaml", "--in", tmp_path / "in.csv", "--out", tmp_path / "out.csv")
        expected = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, ndmin=2)
        assert np.array_equal(flat(arm, quantity, inputs), expected), quantity
        for k in (0, 8):
            assert np.array_equal(arm.function(quantity)(tuple(x[k] for x in inputs)).ravel(), expected[k]), quantity


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", ["rrr", "rpr", "panda"])
def test_a_row_of_many_states_is_the_single_state_to_the_bit(name, quantity):
    arm = armature.load(name)
    inputs = states(arm, QUANTITIES[quantity], 600)  # more than one thread's share
    many = flat(arm, quantity, inputs)
    for k in range(0, 600, 37):
        assert np.array_equal(many[k], arm.function(quantity)(tuple(x[k] for x in inputs)).ravel())


def test_an_arm_without_generated_functions_agrees_with_them(panda, tmp_path):
    """The same Panda with a renamed payload of no weight is computed by recursion."""
    inputs = states(panda, "qva", 50)
    assert panda.generated
    other = panda.replace(gravity=[0, 0, -9.8066499])
    assert not other.generated
    assert np.allclose(panda.inverse_dynamics(*inputs), other.inverse_dynamics(*inputs), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("count", [0, 1, 7, 1_000_000])
def test_any_number_of_states(panda, count):
    q, qd, qdd = states(panda, "qva", count)
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (count, 7)
    assert panda.mass_matrix(q[:5]).shape == (min(count, 5), 7, 7)
    if count:
        assert np.array_equal(tau[-1], panda.inverse_dynamics(q[-1], qd[-1], qdd[-1]))
        back = panda.forward_dynamics(q[:100], qd[:100], tau[:100])
        assert np.allclose(back, qdd[:100], atol=1e-8)


LAYOUTS = {
    "F order": np.asfortranarray,
    "every other row": lambda x: np.repeat(x, 2, 0)[::2],
    "every third column": lambda x: np.repeat(x, 3, 1)[:, ::3],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda x: np.lib.stride_tricks.as_strided(x, writeable=False),
    "a list of lists": lambda x: x.tolist(),
    "misaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape),
    "big-endian": lambda x: x.astype(">f8"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_inputs_changes_nothing(rrr, layout):
    inputs = states(rrr, "qva", 11)
    expected = rrr.inverse_dynamics(*inputs)
    assert np.array_equal(rrr.inverse_dynamics(*map(LAYOUTS[layout], inputs)), expected)
    assert np.array_equal(rrr.inverse_dynamics(*(LAYOUTS[layout](x)[3] for x in inputs)), expected[3])


def test_one_state_among_many_counts_for_all(rrr):
    q, qd, qdd = states(rrr, "qva", 9)
    still = np.zeros(3)
    assert np.array_equal(rrr.inverse_dynamics(q, still, qdd[0]),
                          rrr.inverse_dynamics(q, np.zeros((9, 3)), np.tile(qdd[0], (9, 1))))


def test_float32_is_read_exactly_and_rounded_once(panda):
    q, qd, qdd = (x.astype(np.float32) for x in states(panda, "qva", 30))
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert tau.dtype == np.float32
    exact = panda.inverse_dynamics(*(x.astype(np.float64) for x in (q, qd, qdd)))
    assert np.array_equal(tau, exact.astype(np.float32))
    assert panda.inverse_dynamics(q, qd, qdd.astype(np.float64)).dtype == np.float64
    assert panda.gravity(q[0]).dtype == np.float32


def test_integers_are_numbers(rrr):
    assert np.array_equal(rrr.gravity([0, 1, 0]), rrr.gravity([0.0, 1.0, 0.0]))
    assert np.array_equal(rrr.gravity(np.array([0, 1, 0], np.uint8)), rrr.gravity([0.0, 1.0, 0.0]))


@pytest.mark.parametrize("make", [np.zeros, lambda s: np.zeros(s, order="F"), lambda s: np.zeros((s[0], 2 * s[1]))[:, ::2],
                                  lambda s: np.zeros(s, np.float32)])
def test_out_takes_the_results_whatever_its_layout(rrr, make):
    inputs = states(rrr, "qva", 13)
    out = make((13, 3))
    assert rrr.inverse_dynamics(*inputs, out=out) is out
    assert np.array_equal(out, rrr.inverse_dynamics(*inputs).astype(out.dtype))
    M = np.asfortranarray(np.zeros((13, 3, 3)))
    assert rrr.mass_matrix(inputs[0], out=M) is M
    assert np.array_equal(M, rrr.mass_matrix(inputs[0]))
    one = np.zeros(3)
    assert rrr.inverse_dynamics(*(x[0] for x in inputs), out=one) is one
    assert np.array_equal(one, rrr.inverse_dynamics(*(x[0] for x in inputs)))


@pytest.mark.parametrize("quantity, letters, settings", [
    ("forward_kinematics", "q", {}), ("energy", "qv", {}), ("operational_space", "qv", {}), ("inverse_dynamics_derivatives", "qva", {}),
    ("forward_dynamics_derivatives", "qvt", {}), ("regressor", "qva", {"friction": True})])
def test_out_takes_results_of_several_parts(rrr, quantity, letters, settings):
    work, inputs = getattr(rrr, quantity), states(rrr, letters, 13)
    for some in (inputs, [x[0] for x in inputs]):
        expected = work(*some, **settings)
        out = tuple(np.full(part.shape, np.nan, order="F") for part in expected)
        again = work(*some, **settings, out=out)
        assert type(again) is type(expected)
        for part, array, result in zip(expected, out, again):
            assert result is array and np.array_equal(array, part)
    for wrong in (out[:-1], list(out), tuple(part.astype(int) for part in expected), tuple(np.zeros((2, 3, 4, 5)) for _ in out)):
        with pytest.raises(armature.Error, match="^out: "):
            work(*some, **settings, out=wrong)


def test_out_may_be_an_input(rrr):
    q, qd, qdd = states(rrr, "qva", 1000)
    expected = rrr.inverse_dynamics(q, qd, qdd)
    assert np.array_equal(rrr.inverse_dynamics(q, qd, qdd, out=qdd), expected)


def test_power_into_the_joints_is_the_rate_of_change_of_energy(panda):
    q, qd, qdd = states(panda, "qva", 20)
    h = 1e-6

    def total(t):
        return sum(panda.energy(q + qd * t + qdd * (t * t / 2), qd + qdd * t))

    assert isinstance(panda.energy(q[0], qd[0]).kinetic, float)
    power = np.sum(qd * panda.inverse_dynamics(q, qd, qdd), -1)
    assert np.allclose((total(h) - total(-h)) / (2 * h), power, rtol=1e-5, atol=1e-6)


def test_the_parts_of_inverse_dynamics_add_up(panda):
    q, qd, qdd = states(panda, "qva", 20)
    sum_of_parts = np.einsum("sij,sj->si", panda.mass_matrix(q), qdd) + panda.coriolis(q, qd) + panda.gravity(q)
    assert np.allclose(sum_of_parts, panda.inverse_dynamics(q, qd, qdd), atol=1e-9)


def test_the_jacobian_is_the_derivative_of_the_position(panda):
    q, qd = states(panda, "qv", 20)
    h = 1e-6
    speed = (panda.forward_kinematics(q + h * qd).position - panda.forward_kinematics(q - h * qd).position) / (2 * h)
    assert np.allclose(np.einsum("sij,sj->si", panda.jacobian(q)[:, :3], qd), speed, atol=1e-8)


def test_transforms_are_rigid_and_those_of_links_can_be_asked_for(panda):
    q = states(panda, "q", 6)[0]
    pose = panda.forward_kinematics(q)
    assert np.allclose(pose.rotation @ np.swapaxes(pose.rotation, 1, 2), np.eye(3), atol=1e-12)
    assert pose.matrix.shape == (6, 4, 4) and np.array_equal(pose.matrix[:, :3, 3], pose.position)
    first = panda.forward_kinematics(q, frame=panda.link_names[0]).position
    assert not np.allclose(first, pose.position)
    assert panda.jacobian(q, frame=panda.link_names[0]).shape == (6, 6, 7)


def test_the_regressor_is_linear_in_the_masses(rrr):
    q, qd, qdd = states(rrr, "qva", 4)
    W = rrr.regressor(q, qd, qdd)
    assert W.shape == (4, 3, 30)
    assert np.allclose(W @ rrr.parameters, rrr.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    W2, F, R = rrr.regressor(q, qd, qdd, friction=True, rotor=True)
    assert np.array_equal(W, W2) and F.shape == (4, 3, 9) and R.shape == (4, 3, 3)


def test_derivatives_are_those_of_differences(panda):
    q, qd, qdd = (x[0] for x in states(panda, "qva", 1))
    h, d = 1e-6, panda.inverse_dynamics_derivatives(q, qd, qdd)
    for i in range(7):
        e = h * np.eye(7)[i]
        assert np.allclose(d.dq[:, i], (panda.inverse_dynamics(q + e, qd, qdd) - panda.inverse_dynamics(q - e, qd, qdd)) / (2 * h), atol=1e-6)
        assert np.allclose(d.dqd[:, i], (panda.inverse_dynamics(q, qd + e, qdd) - panda.inverse_dynamics(q, qd - e, qdd)) / (2 * h), atol=1e-6)
    assert np.allclose(d.dqdd, panda.mass_matrix(q), atol=1e-12)
    tau = panda.inverse_dynamics(q, qd, qdd)
    back = panda.forward_dynamics_derivatives(q, qd, tau)
    assert np.allclose(back.dtau @ d.dqdd, np.eye(7), atol=1e-9) and np.allclose(back.dq, -back.dtau @ d.dq, rtol=1e-6, atol=1e-6)


def test_a_wrench_on_the_tool_acts_through_the_transposed_jacobian(rrr):
    q, qd, qdd = states(rrr, "qva", 5)
    wrench = np.array([1.0, -2, 3, 0.1, 0.2, -0.3])
    difference = rrr.inverse_dynamics(q, qd, qdd, wrench=wrench) - rrr.inverse_dynamics(q, qd, qdd)
    assert np.allclose(difference, -np.swapaxes(rrr.jacobian(q), 1, 2) @ wrench, atol=1e-10)


def test_operational_space_of_a_task(rrr):
    q, qd = states(rrr, "qv", 3)
    seen = rrr.operational_space(q, qd)
    J = rrr.jacobian(q)[:, :3]
    Lambda = np.linalg.inv(J @ np.linalg.inv(rrr.mass_matrix(q)) @ np.swapaxes(J, 1, 2))
    assert seen.inertia.shape == (3, 3, 3) and np.allclose(seen.inertia, Lambda, rtol=1e-6)
    assert np.array_equal(seen.rank, [3, 3, 3])


def test_inverse_kinematics_reaches_what_forward_kinematics_says(panda, rrr):
    for arm in (panda, rrr, armature.load("puma560")):
        q = 0.4 * states(arm, "q", 5)[0] / 2
        pose = arm.forward_kinematics(q)
        target = pose.position if arm is rrr else pose
        found = arm.inverse_kinematics(target, guess=q)
        assert np.all(found.found >= 1) and found.position_error.max() < 1e-8
        assert np.allclose(arm.forward_kinematics(found.q).position, pose.position, atol=1e-8)
        if arm is not rrr:
            assert np.allclose(arm.forward_kinematics(found.q).rotation, pose.rotation, atol=1e-6)
            by_matrix = arm.inverse_kinematics(pose.matrix[0], guess=q[0])
            assert np.allclose(arm.forward_kinematics(by_matrix.q).matrix, pose.matrix[0], atol=1e-8)


def test_every_rotation_becomes_its_quaternion():
    from armature._arm import _from_matrices
    random = np.random.default_rng(3)
    quaternions = random.normal(size=(200, 4))
    quaternions[:4] = np.eye(4)  # half turns about each axis among them
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    T = armature.Pose(np.zeros((200, 3)), quaternions).matrix
    found = _from_matrices(T)[:, 3:]
    assert np.allclose(np.abs(np.sum(found * quaternions, 1)), 1, atol=1e-12)


def test_a_target_out_of_reach_is_an_answer_not_an_error(rrr):
    found = rrr.inverse_kinematics([100.0, 0, 0])
    assert found.found == 0 and found.position_error > 90 and found.all.shape == (0, 3)


def test_a_bound_call_reads_what_its_arrays_hold(panda):
    q, qd, qdd = (x[0].copy() for x in states(panda, "qva", 1))
    call = panda.bind("inverse_dynamics", q, qd, qdd)
    for _ in range(3):
        q += 0.1
        assert call() is call.out
        assert np.array_equal(call.out, panda.inverse_dynamics(q, qd, qdd))
    q[3] = np.nan
    with pytest.raises(armature.Error, match="not a finite number"):
        call()


def test_eight_threads_on_one_arm(panda):
    inputs = states(panda, "qva", 4000)
    expected = panda.inverse_dynamics(*inputs)

    def work(seed):
        rows = np.random.default_rng(seed).integers(0, 4000, 200)
        singles = all(np.array_equal(panda.inverse_dynamics(*(x[k] for x in inputs)), expected[k]) for k in rows)
        return singles and np.array_equal(panda.inverse_dynamics(*inputs), expected)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
