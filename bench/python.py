#!/usr/bin/env python3
"""What a call from Python costs: beside the work itself, beside numpy code that `armature derive` writes, and beside the bindings of other
libraries. ./dev bench runs it; by itself: PYTHONPATH=python ARMATURE_LIBRARY=build/libarmature.so.0 python3 bench/python.py"""
import ctypes
import importlib
import os
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

import numpy as np

import armature
from armature._compute import Input, input_of
from armature._library import lib

STATES = 1_000_000


def best(call, number, rounds=7, clock=time.process_time):
    """Seconds of processor time that one call takes, in the best of several rounds; with perf_counter those of a watch."""
    times = []
    for _ in range(rounds):
        start = clock()
        for _ in range(number):
            call()
        times.append((clock() - start) / number)
    return min(times)


def side_by_side(*calls, rounds=15):
    """Seconds by the watch that each call takes in its best round; they take turns, so that what else the machine does is fair to all."""
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, spent in zip(calls, times):
            start = time.perf_counter()
            call()
            spent.append(time.perf_counter() - start)
    return [min(spent) for spent in times]


def row(what, value, asked="", reached=True):
    print(f"| {what} | {value} | {asked}{'' if reached else ', missed'} |")


def numpy_code(arm):
    """inverse_dynamics(q, qd, qdd) of arrays (n,) or (n, N)."""
    names = {}
    exec(arm.derive("inverse_dynamics", lang="python"), names)
    return names["inverse_dynamics"]


def weigh_nothing(urdf):
    """Links without inertia get hardly any: DART would take them for 1 kg."""
    tree = ElementTree.parse(urdf)
    for link in tree.getroot().iter("link"):
        if link.find("inertial") is None:
            body = ElementTree.SubElement(link, "inertial")
            ElementTree.SubElement(body, "mass", value="1e-12")
            ElementTree.SubElement(body, "inertia", ixx="1e-15", iyy="1e-15", izz="1e-15", ixy="0", ixz="0", iyz="0")
    tree.write(urdf)


def kdl_chain(kdl, urdf):
    """Every joint of a chain, each with the link behind it, as KDL has them."""
    def numbers(element, name):
        return [float(x) for x in (element.get(name) if element is not None and element.get(name) else "0 0 0").split()]

    def frame(element):
        return kdl.Frame(kdl.Rotation.RPY(*numbers(element, "rpy")), kdl.Vector(*numbers(element, "xyz")))

    root, chain = ElementTree.parse(urdf).getroot(), kdl.Chain()
    links = {link.get("name"): link for link in root.iter("link")}
    joints = {joint.find("parent").get("link"): joint for joint in root.iter("joint")}
    at = (set(joints) - {joint.find("child").get("link") for joint in joints.values()}).pop()
    while at in joints:
        joint = joints[at]
        at, origin, inertial = joint.find("child").get("link"), frame(joint.find("origin")), links[joint.find("child").get("link")].find("inertial")
        body = kdl.RigidBodyInertia()
        if inertial is not None:
            place, tensor = frame(inertial.find("origin")), inertial.find("inertia")
            body = place.M * kdl.RigidBodyInertia(float(inertial.find("mass").get("value")), kdl.Vector(), kdl.RotationalInertia(
                *(float(tensor.get(name)) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))))
            body = kdl.Frame(place.p) * body
        axis = origin.M * kdl.Vector(*numbers(joint.find("axis"), "xyz"))
        moves = joint.get("type") != "fixed"
        chain.addSegment(kdl.Segment(at, kdl.Joint(joint.get("name"), origin.p, axis, kdl.Joint.RotAxis) if moves else kdl.Joint(joint.get("name")), origin, body))
    return chain


def kdl_dynamics(kdl, urdf):
    chain = kdl_chain(kdl, urdf)
    n, solver = chain.getNrOfJoints(), kdl.ChainIdSolver_RNE(chain, kdl.Vector(0, 0, -9.80665))
    arrays, tau, nothing = [kdl.JntArray(n) for _ in range(3)], kdl.JntArray(n), [kdl.Wrench()] * chain.getNrOfSegments()

    def compute(*state):
        for array, values in zip(arrays, state):
            for i in range(n):
                array[i] = values[i]
        if solver.CartToJnt(*arrays, nothing, tau) != 0:
            raise RuntimeError(solver.strError(solver.getError()))
        return [tau[i] for i in range(n)]
    compute.chain = chain  # the solver only points to it
    return compute


def dart_dynamics(dart, urdf):
    skeleton = dart.utils.DartLoader().parseSkeleton(urdf)
    skeleton.setGravity([0, 0, -9.80665])
    free = skeleton.getNumDofs() - sum(1 for name in (skeleton.getDof(i).getName() for i in range(skeleton.getNumDofs())) if name.startswith("joint"))
    zero = np.zeros(free)  # of the root, where DART leaves it free

    def compute(q, qd, qdd):
        skeleton.setPositions(np.concatenate([zero, q]))
        skeleton.setVelocities(np.concatenate([zero, qd]))
        skeleton.setAccelerations(np.concatenate([zero, qdd]))
        skeleton.computeInverseDynamics()
        return skeleton.getForces()[free:]
    return compute


def others(arm, state):
    """(name, compute(q, qd, qdd)) of what is installed here and gives the same torques."""
    expected = arm.inverse_dynamics(*state)
    yield "numpy code of `armature derive`", numpy_code(arm)
    with tempfile.TemporaryDirectory() as folder:
        urdf = os.path.join(folder, "arm.urdf")
        arm.save(urdf)
        weigh_nothing(urdf)
        for name, module, make in (("PyKDL", "PyKDL", kdl_dynamics), ("dartpy", "dartpy", dart_dynamics)):
            try:
                compute = make(importlib.import_module(module), urdf)
                difference = float(np.abs(np.asarray(compute(*state)) - expected).max())
            except Exception as error:  # noqa: B902 - what is not there, or cannot read the arm, is not timed
                print(f"{name}: left out ({error})", file=sys.stderr)
                continue
            if difference > 1e-6:
                print(f"{name}: left out (its torques differ by {difference:.3g} N m)", file=sys.stderr)
                continue
            yield name, compute


def import_time():
    """Seconds of processor time that `import armature` takes beyond numpy's, in the best of several processes."""
    code = "import time, numpy; start = time.process_time(); import armature; print(time.process_time() - start)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(7))


def main():
    arm = armature.load("panda")
    random = np.random.default_rng(1)
    q, qd, qdd = random.uniform(-1, 1, (3, 7))
    print("## From Python: inverse dynamics of panda\n\n| | | asked |\n|---|---:|---|")
    one = best(lambda: arm.inverse_dynamics(q, qd, qdd), 20000)
    row("one state, all checks", f"{1e6 * one:.2f} µs", "≤ 8 µs", one <= 8e-6)
    bound = best(arm.bind("inverse_dynamics", q, qd, qdd), 50000)
    row("one state, bound to its arrays", f"{1e6 * bound:.2f} µs", "≤ 2 µs", bound <= 2e-6)
    Q, V, A = random.uniform(-1, 1, (3, STATES, 7))
    out = np.zeros((STATES, 7))
    function = arm.function("inverse_dynamics")
    inputs, result = (Input * 3)(*(input_of(x, STATES) for x in (Q, V, A))), input_of(out, STATES)
    library, mine = side_by_side(lambda: lib.armature_function_states(function._handle, STATES, inputs, 3, ctypes.byref(result), 0),
                                 lambda: arm.inverse_dynamics(Q, V, A, out=out))
    row("10⁶ states, the library's own batch", f"{1e9 * library / STATES:.1f} ns a state")
    row("10⁶ states from Python", f"{1e9 * mine / STATES:.1f} ns a state, {100 * library / mine:.0f} % of the batch", "≥ 90 %", library >= 0.9 * mine)
    row("10⁶ states, into a new array", f"{1e9 * best(lambda: arm.inverse_dynamics(Q, V, A), 1, 9, time.perf_counter) / STATES:.1f} ns a state")
    spent = import_time()
    row("import armature, beyond numpy's", f"{1e3 * spent:.0f} ms", "≤ 60 ms", spent <= 0.06)
    for name, compute in others(arm, (q, qd, qdd)):
        theirs = best(lambda: compute(q, qd, qdd), 500)
        row(f"one state, {name}", f"{1e6 * theirs:.1f} µs, {theirs / one:.1f} times ours, {theirs / bound:.0f} times ours bound")
    code, columns = numpy_code(arm), [np.ascontiguousarray(x[:100_000].T) for x in (Q, V, A)]
    theirs = best(lambda: code(*columns), 1, 9, time.perf_counter)
    row("10⁵ states, numpy code of `armature derive`", f"{1e9 * theirs / 100_000:.0f} ns a state, {theirs / 100_000 / (mine / STATES):.0f} times ours")
    for name, work in (("mass_matrix", lambda: arm.mass_matrix(q)), ("jacobian", lambda: arm.jacobian(q)),
                       ("forward_kinematics", lambda: arm.forward_kinematics(q))):
        row(f"one state, {name}", f"{1e6 * best(work, 5000):.2f} µs")


if __name__ == "__main__":
    main()
