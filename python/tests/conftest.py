"""What the tests share. ARMATURE_PROGRAM is the command-line program, a second opinion on every number."""
import os
import signal
import subprocess

import numpy as np
import pytest

import armature

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what it does not wait for with Ctrl-C ignored
PROGRAM = os.environ.get("ARMATURE_PROGRAM")
QUANTITIES = {  # name -> inputs
    "forward_kinematics": "q", "jacobian": "q", "inverse_dynamics": "qva", "forward_dynamics": "qvt", "mass_matrix": "q",
    "coriolis": "qv", "gravity": "q", "energy": "qv", "regressor": "qva", "operational_space": "qv", "inverse_dynamics_derivatives": "qva", "forward_dynamics_derivatives": "qvt",
}
STARTS = {"q": "q", "v": "v", "a": "a", "t": "tau"}


def program(*words, **more):
    """Runs the program; skips where there is none."""
    if not PROGRAM:
        pytest.skip("ARMATURE_PROGRAM names no program")
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True, **more)


def states(arm, letters, count, seed=1):
    """Random inputs, (count, n) each."""
    random = np.random.default_rng(seed)
    return [random.uniform(-2, 2, (count, arm.dof)) for _ in letters]


def flat(arm, quantity, inputs):
    """All numbers of a quantity, one row per state."""
    return arm.function(quantity)(tuple(inputs)).reshape(len(inputs[0]), -1)


@pytest.fixture(scope="session")
def panda():
    return armature.load("panda")


@pytest.fixture(scope="session")
def rrr():
    return armature.load("rrr")


@pytest.fixture
def pendulum():
    """A point mass of 2 kg at 0.5 m on an axis along z, gravity along -y: everything about it is known by heart."""
    return armature.Arm.from_dh([{"name": "hinge", "a": 0.5, "mass": 2.0, "com": [0, 0, 0],
                                  "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3}}], gravity=[0, -9.81, 0])
