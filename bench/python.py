#!/usr/bin/env python3
"""What a call from Python costs beside the work itself: PYTHONPATH=python ARMATURE_LIBRARY=build/libarmature.so.0 python3 bench/python.py"""
import ctypes
import time

import numpy as np

import armature
from armature._compute import Input, input_of
from armature._library import lib


def best(call, number, rounds=7):
    """Seconds of one call, in the best of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - start) / number)
    return min(times)


def main():
    arm = armature.load("panda")
    random = np.random.default_rng(1)
    q, qd, qdd = random.uniform(-1, 1, (3, 7))
    print("Panda, inverse dynamics")
    print(f"  one state, all checks        {1e6 * best(lambda: arm.inverse_dynamics(q, qd, qdd), 20000):8.2f} us   (at most 8)")
    call = arm.bind("inverse_dynamics", q, qd, qdd)
    print(f"  one state, bound             {1e6 * best(call, 50000):8.2f} us   (at most 2)")
    states = 1_000_000
    Q, V, A = random.uniform(-1, 1, (3, states, 7))
    out = np.zeros((states, 7))
    function = arm.function("inverse_dynamics")
    inputs, result = (Input * 3)(*(input_of(x, states) for x in (Q, V, A))), input_of(out, states)
    library = best(lambda: lib.armature_function_states(function._handle, states, inputs, 3, ctypes.byref(result), 0), 1)
    mine = best(lambda: arm.inverse_dynamics(Q, V, A, out=out), 1)
    print(f"  1e6 states, the library      {1e9 * library / states:8.1f} ns a state")
    print(f"  1e6 states, Python           {1e9 * mine / states:8.1f} ns a state: {100 * library / mine:.0f} % of the library's speed (at least 90)")
    fresh = best(lambda: arm.inverse_dynamics(Q, V, A), 1)
    print(f"  1e6 states, a new array      {1e9 * fresh / states:8.1f} ns a state")
    for name, work, number in [("mass_matrix", lambda: arm.mass_matrix(q), 20000), ("jacobian", lambda: arm.jacobian(q), 20000),
                               ("forward_kinematics", lambda: arm.forward_kinematics(q), 20000)]:
        print(f"  {name:<20} one state {1e6 * best(work, number):6.2f} us")


if __name__ == "__main__":
    main()
