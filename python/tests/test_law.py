"""Control laws: ours in a loop of Python, and Python's in ours."""
import re

import numpy as np
import pytest
from test_chain import SCENARIO

import armature

GAINS = {"kp": 400, "kd": 40, "friction": True}


class Pd:
    """tau = kp (q_r - q) + kd (qd_r - qd) + g(q)"""

    def __init__(self, arm, kp=300.0, kd=30.0):
        self.arm, self.kp, self.kd, self.resets = arm, kp, kd, 0

    def reset(self, q, qd):
        self.resets += 1

    def update(self, q, qd, reference, dt):
        return self.kp * (reference.q - q) + self.kd * (reference.qd - qd) + self.arm.gravity(q)


def test_our_law_handed_in_as_a_law_of_python_gives_the_same_run_to_the_bit(rrr):
    law = armature.Law("computed_torque", rrr, **GAINS)
    own = armature.simulate(SCENARIO, law=law, controller={"kind": "joint_pd", "kp": 1, "kd": 1})
    ours = armature.simulate(SCENARIO)
    assert np.array_equal(own.stacked("q"), ours.stacked("q")) and np.array_equal(own.stacked("tau"), ours.stacked("tau"))


def test_a_law_of_python_follows_its_reference(rrr):
    law = Pd(rrr)
    run = armature.simulate(SCENARIO, law=law, run={"duration": "2 s"})
    assert law.resets >= 1
    assert np.abs(run.stacked("q")[-1] - 0.5).max() < 0.05
    assert run.answer["complete"]
    by_function = armature.simulate(SCENARIO, law=lambda q, qd, r, dt: law.update(q, qd, r, dt), run={"duration": "2 s"})
    assert np.array_equal(by_function["q1"], run["q1"])


def test_the_tool_of_the_reference_is_told_to_a_law_that_asks_for_it(rrr):
    seen = []

    class Tool(Pd):
        needs_tool = True

        def update(self, q, qd, reference, dt):
            seen.append((reference.q, reference.pose))
            return super().update(q, qd, reference, dt)

    armature.simulate(SCENARIO, law=Tool(rrr))
    for q, pose in seen[::100]:
        assert np.allclose(rrr.forward_kinematics(q).position, pose[:3], atol=1e-9)


def test_an_exception_in_a_law_ends_the_run_and_comes_out(rrr):
    class Fails(Pd):
        count = 0

        def update(self, q, qd, reference, dt):
            self.count += 1
            if self.count == 50:
                raise ZeroDivisionError("mine")
            return super().update(q, qd, reference, dt)

    law = Fails(rrr)
    with pytest.raises(ZeroDivisionError, match="mine"):
        armature.simulate(SCENARIO, law=law)
    assert law.count == 50
    for answer, says in [([0.0, np.nan, 0.0], "nan"), ([1.0, 2.0], "shape (2,)"), ("three", "three"), (None, "shape ()")]:
        with pytest.raises((armature.Error, ValueError, TypeError)) as caught:
            armature.simulate(SCENARIO, law=lambda q, qd, r, dt, answer=answer: answer)
        assert says in str(caught.value) or answer in ("three", None)
    with pytest.raises(armature.Error, match="no update"):
        armature.simulate(SCENARIO, law=3)


@pytest.mark.parametrize("kind", armature.laws())
def test_every_law_can_be_made_and_holds_still_where_it_is(kind, panda):
    """What a law requires is found by its own messages, but for tables and for what the arm's drives must state."""
    settings = {"at": [0, 1], "kp": [[100] * 7] * 2, "kd": [[10] * 7] * 2} if kind == "scheduled_pd" else {}
    arm = armature.load("asea2") if kind == "back_emf" else panda
    for _ in range(8):
        try:
            law = armature.Law(kind, arm, **settings)
            break
        except armature.Error as error:
            wanted = re.search(r"needs the key '(\w+)'", error.finding)
            settings.update({wanted.group(1): "z" if wanted.group(1) == "force_axes" else 10} if wanted else {"terms": [{"kind": "gravity"}]})
    else:
        pytest.fail(f"{kind} cannot be made with {settings}")
    n = arm.dof
    q = np.array([0.1, -0.3, 0.2, -1.8, 0.1, 1.6, 0.5])[:n]
    law.reset(q)
    pose = arm.forward_kinematics(q)
    reference = armature.Reference(q, np.zeros(n), np.zeros(n), np.concatenate([pose.position, pose.quaternion]),
                                   wrench=np.zeros(6))
    tau = law.update(q, np.zeros(n), reference, torque=np.zeros(n), wrench=np.zeros(6))
    assert tau.shape == (n,) and np.all(np.isfinite(tau))


def test_a_law_computes_the_formula_of_the_book(rrr):
    law = armature.Law("computed_torque", rrr, kp=400, kd=40)
    q, qd, q_ref, qd_ref, qdd_ref = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    law.reset(q, qd)
    tau = law.update(q, qd, (q_ref, qd_ref, qdd_ref))
    assert np.allclose(tau, rrr.inverse_dynamics(q, qd, qdd_ref + 40 * (qd_ref - qd) + 400 * (q_ref - q)), atol=1e-9)
    torques = [law.parts[name] for name in ("inertia", "coriolis", "gravity", "friction")]
    assert np.allclose(sum(torques), tau, atol=1e-9) and law.status == []
    assert np.allclose(law.parts["acceleration"], qdd_ref + 40 * (qd_ref - qd) + 400 * (q_ref - q), atol=1e-9)


def test_a_key_that_is_a_word_of_python(rrr):
    laws = [armature.Law("sliding_mode", rrr, lambda_=20, reach=5, layer=0.1), armature.Law("sliding_mode", rrr, **{"lambda": 20}, reach=5, layer=0.1)]
    assert np.array_equal(*(law.update([0.1, 0, 0], np.zeros(3), np.zeros((3, 3))) for law in laws))
    log = armature.simulate(SCENARIO, run={"duration": "0.2 s"})
    measured = {"time": log.time, "q": log.stacked("q"), "tau": log.stacked("tau")}
    assert armature.validate(rrr, measured, from_="0.1 s").answer == armature.validate(rrr, measured, **{"from": "0.1 s"}).answer


def test_a_guard_cuts_the_torque_and_says_so(rrr):
    law = armature.Law("joint_pd", rrr, kp=1e5, kd=10, safety={"on": True})
    law.reset([0.0, 0, 0])
    for _ in range(400):
        tau = law.update([0.0, 0, 0], [0.0, 0, 0], ([1.0, 1, 1], [0.0] * 3, [0.0] * 3))
    assert np.all(np.abs(tau) <= rrr.limits.torque + 1e-9)
    assert "saturated" in law.status


def test_wrong_input_to_a_law(rrr):
    with pytest.raises(armature.Error, match="computed_torq"):
        armature.Law("computed_torq", rrr)
    with pytest.raises(armature.Error, match="kpp"):
        armature.Law("computed_torque", rrr, kpp=3)
    with pytest.raises(armature.Error, match="tick"):
        armature.Law("computed_torque", rrr, tick=-1, **GAINS)
    law = armature.Law("computed_torque", rrr, **GAINS)
    Z = np.zeros(3)
    for call, says in [(lambda: law.update(Z, Z, None), "q_ref"), (lambda: law.update(np.zeros(4), Z, (Z, Z, Z)), "shape (4,)"),
                       (lambda: law.update([np.nan, 0, 0], Z, (Z, Z, Z)), "not finite"), (lambda: law.update(Z, Z, (Z, Z, Z), dt=-1), "dt is -1"),
                       (lambda: law.reset([1, 2]), "shape (2,)"), (lambda: law.update("abc", Z, (Z, Z, Z)), "q holds values of type"),
                       (lambda: law.update(Z, Z, (Z, Z, [1j, 0, 0])), "complex128"), (lambda: law.update(Z, Z, (Z, None, Z)), "qd_ref")]:
        with pytest.raises(armature.Error, match="(?s).*") as caught:
            call()
        assert says in str(caught.value)


def test_a_guard_around_a_law_of_python(rrr):
    """The same torques where they are within the limits, the limits where they are not, and what the law raises."""
    class Springs:
        begun = 0

        def reset(self, q, qd):
            self.begun += 1

        def update(self, q, qd, reference, dt):
            if reference.q[0] > 100:
                raise ZeroDivisionError("too far")
            return 1000 * (reference.q - q) - 10 * qd

    springs = Springs()
    law = armature.Guarded(springs, rrr)
    q, rest, most = np.array([0.1, -0.2, 0.3]), np.zeros(3), rrr.limits.torque
    law.reset(q)
    assert springs.begun == 1

    def settled(reference):  # the guard lets a law take over step by step
        return [law.update(q, rest, reference) for _ in range(400)][-1]

    near, far = armature.Reference(q + 1e-3, rest, rest), armature.Reference(q + 50, rest, rest)
    assert np.allclose(settled(near), springs.update(q, rest, near, 1e-3)) and not law.status
    tau = settled(far)
    assert np.all(np.abs(tau) <= most * (1 + 1e-12)) and np.all(springs.update(q, rest, far, 0) > most)
    assert "saturated" in law.status
    with pytest.raises(ZeroDivisionError, match="too far"):
        law.update(q, rest, armature.Reference(q + 200, rest, rest))
    with pytest.raises(ZeroDivisionError):
        law.update(q, rest, near)  # a law that failed gives nothing before it begins anew
    law.reset(q)
    assert np.allclose(settled(near), 1) and springs.begun == 2
    for wrong in (lambda *_: [np.nan] * 3, lambda *_: [1.0]):
        bad = armature.Guarded(wrong, rrr)
        bad.reset(q)
        with pytest.raises(armature.Error):
            bad.update(q, rest, near)
    with pytest.raises(armature.Error, match="no update"):
        armature.Guarded(3, rrr)
    with pytest.raises(armature.Error, match="needs the arm"):
        armature.Guarded(springs)
    with pytest.raises(armature.Error, match="lid"):
        armature.Guarded(springs, rrr, lid=True)


def test_a_guard_around_one_of_our_laws(rrr):
    bare = armature.Law("joint_pd", rrr, kp=1e5, kd=10)
    guarded, told = armature.Guarded(bare), armature.Law("joint_pd", rrr, kp=1e5, kd=10, safety={"on": True})
    rest = ([1.0, 1, 1], [0.0] * 3, [0.0] * 3)
    for law in (bare, guarded, told):
        law.reset([0.0, 0, 0])
        for _ in range(400):
            law.update([0.0, 0, 0], [0.0, 0, 0], rest)
    tau = [law.update([0.0, 0, 0], [0.0, 0, 0], rest) for law in (bare, guarded, told)]
    assert np.array_equal(tau[1], tau[2]) and np.all(np.abs(tau[1]) <= rrr.limits.torque + 1e-9) and np.all(tau[0] > rrr.limits.torque)
    assert "saturated" in guarded.status
    with pytest.raises(armature.Error, match="another arm"):
        armature.Guarded(bare, rrr.replace(payload=1))
    with pytest.raises(armature.Error, match="guard already"):
        armature.Guarded(guarded)


def test_a_law_that_names_sensors_is_told_what_they_measure(rrr):
    told = []

    class Feels(Pd):
        def update(self, q, qd, reference, dt, wrench=None, *, torque=None):
            told.append((wrench, torque))
            return super().update(q, qd, reference, dt)

    armature.simulate(SCENARIO, law=Feels(rrr))
    assert all(wrench.shape == (6,) for wrench, _ in told) and len(told) > 500
    pushed = {**SCENARIO, "run": {"duration": "0.2 s"}}
    law = armature.Guarded(Feels(rrr), rrr)
    law.reset([0.0, 0, 0])
    law.update([0.0] * 3, [0.0] * 3, ([0.0] * 3, [0.0] * 3, [0.0] * 3), wrench=[1, 2, 3, 4, 5, 6], torque=[7, 8, 9])
    assert list(told[-1][0]) == [1, 2, 3, 4, 5, 6] and list(told[-1][1]) == [7, 8, 9]
    armature.simulate(pushed, law=lambda q, qd, reference, dt: rrr.gravity(q))  # one that names none is not


def test_a_payload_watch_tells_what_the_tool_carries(rrr):
    """The loop's machine carries 3 kg that the law does not know of."""
    law = armature.Law("computed_torque", rrr, **GAINS, payload_watch={"on": True})
    motion = {"kind": "sine", "from": [0, 0.3, -0.6], "amplitude": [0.5, 0.4, 0.6], "frequency": ["0.5 Hz", "0.6 Hz", "0.8 Hz"]}
    run = armature.simulate(SCENARIO, law=law, robot=rrr.replace(payload=3.0), start={"on_reference": True}, reference=motion,
                            run={"duration": "4 s"})
    told = law.parts
    assert run.answer["complete"]
    assert abs(told["payload_mass"][0] - 3) < 3 * told["payload_mass_deviation"][0] < 1.5
    assert told["payload_changes"][0] == 0
