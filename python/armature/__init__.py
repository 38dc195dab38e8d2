"""Armature: a robot arm from its URDF or DH table to a validated, controlled machine.

    import armature
    arm = armature.load("panda")                                    # a built-in arm, an arm file or a URDF
    tau = arm.inverse_dynamics(q, qd, qdd)                          # one state (n,) or many (N, n)
    found = armature.identify(arm, "log.csv")                       # parameters with intervals, a physical arm
    error = armature.validate(found.arm, "other.csv")
    run = armature.simulate("reach.yaml", run={"duration": "2 s"})  # a controlled machine
    run.page("reach.html")

Everything is SI. Wrong input raises armature.Error, with .place, .finding and .hint.
"""
from ._arm import (AccelerationDerivatives, Arm, Energy, Limits, Link, OperationalSpace, Pose, Solution, TorqueDerivatives, arms,
                   load)
from ._chain import (Interrupted, calibrate, campaign, check, check_model, command, compare, device_rollout, excite, fit_drive, fit_springs, frf, identify,
                     import_log, linearize, report, simulate, tune, validate)
from ._compute import Bound
from ._device import DeviceFunction, DeviceRollout
from ._law import Guarded, Law, Reference, laws
from ._library import Error, lib as _lib
from ._results import FrequencyResponse, Identification, Result, Run

__version__ = _lib.armature_version().decode()
__all__ = ["AccelerationDerivatives", "Arm", "Bound", "DeviceFunction", "Energy", "Error", "FrequencyResponse", "Guarded", "Identification", "Interrupted", "Law",
           "Limits", "Link", "OperationalSpace", "Pose", "Reference", "Result", "Run", "Solution", "TorqueDerivatives", "arms", "calibrate",
           "campaign", "check", "check_model", "command", "compare", "device_rollout", "excite", "fit_drive", "fit_springs", "frf", "identify", "import_log", "laws",
           "linearize", "load", "report", "simulate", "tune", "validate"]
