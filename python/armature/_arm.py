"""Arms."""
from __future__ import annotations

import ctypes
import importlib
import os
import re
import warnings
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._compute import Bound, Function, as_numbers, common_states, filled, input_of
from ._device import DeviceFunction
from ._library import Error, c_text, check, lib, settings_of, text, texts
from ._settings import flattened, yaml_of

Path = Union[str, "os.PathLike[str]"]


class Pose(NamedTuple):
    """Where frames are, in the base frame."""

    position: Any  #: (3,) or (N, 3) [m]
    quaternion: Any  #: (4,) or (N, 4): w, x, y, z

    @property
    def rotation(self) -> Any:
        """Rotation matrices, (3, 3) or (N, 3, 3)."""
        w, x, y, z = np.moveaxis(np.asarray(self.quaternion), -1, 0)
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        return np.stack([np.stack(row, -1) for row in rows], -2)

    @property
    def matrix(self) -> Any:
        """Homogeneous transforms, (4, 4) or (N, 4, 4)."""
        position = np.asarray(self.position)
        matrix = np.zeros(position.shape[:-1] + (4, 4), position.dtype)
        matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = self.rotation, position, 1
        return matrix


class Energy(NamedTuple):
    """Energies of an arm [J]."""

    kinetic: Any
    potential: Any


class TorqueDerivatives(NamedTuple):
    """Derivatives of inverse_dynamics, a row for each torque."""

    dq: Any
    dqd: Any
    dqdd: Any  #: the mass matrix


class AccelerationDerivatives(NamedTuple):
    """Derivatives of forward_dynamics, a row for each acceleration."""

    dq: Any
    dqd: Any
    dtau: Any  #: the inverse of the mass matrix


class OperationalSpace(NamedTuple):
    """Lambda xdd + mu + p = F at the tool."""

    inertia: Any  #: Lambda, (m, m) or (N, m, m)
    mu: Any  #: (m,) or (N, m)
    p: Any  #: (m,) or (N, m)
    rank: Any  #: below m: directions are lost


class Solution(NamedTuple):
    """What inverse kinematics found."""

    q: Any  #: (n,) or (N, n): the first solution, or the nearest position where there is none
    found: Any  #: number of solutions; 0: the target was not reached
    position_error: Any  #: of q [m]
    angle_error: Any  #: of q [rad]
    all: Any  #: every solution: (k, n), or a list of them for N targets


class Limits(NamedTuple):
    """Limits of the joints, (n,) each; infinite where the arm states none."""

    lower: Any  #: [rad | m]
    upper: Any
    velocity: Any  #: [rad/s | m/s]
    acceleration: Any  #: [rad/s^2 | m/s^2]
    torque: Any  #: [N m | N]


class Link(NamedTuple):
    """What a joint moves, in its link's frame; links that are fixed to each other are one."""

    joint: str  #: its name
    mass: float  #: [kg]
    com: Any  #: (3,) centre of mass [m]
    inertia: Any  #: (3, 3) about the centre of mass [kg m^2]


class Arm:
    """A robot arm: checked when made, constant afterwards. Make one with load() or Arm.from_dh().

    All functions take one state, arrays of shape (n,), or N of them, (N, n), in which case the results have N rows and the work is
    shared by all cores. A (n,) among (N, n) arrays counts for all states. float64 and float32 arrays of any layout are read where
    they lie; the results are float32 where all inputs are. `out` takes the results: an array, or where there are several a tuple
    of them, such as an earlier result. Units are SI: rad or m, N m or N.
    The same arm may be used by any number of threads.
    """

    def __init__(self, handle: Any) -> None:
        if not isinstance(handle, ctypes.c_void_p):
            raise TypeError("an arm is made by armature.load() or Arm.from_dh()")
        self._handle: Any = handle
        self._functions: Dict[Any, Function] = {}
        #: its name
        self.name: str = text(lib.armature_arm_name(handle))
        #: number of moving joints, n
        self.dof: int = lib.armature_arm_dof(handle)
        #: names of the moving joints, from the base on
        self.joint_names: List[str] = texts(lib.armature_arm_joint_name, handle)
        #: names of all links; each is a frame that forward_kinematics and jacobian can be asked for
        self.link_names: List[str] = texts(lib.armature_arm_link_name, handle)
        #: sentences to read about this arm
        self.warnings: List[str] = texts(lib.armature_arm_warning, handle)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_arm_free(handle)

    def __repr__(self) -> str:
        return f"<armature.Arm {self.name!r}: {self.dof} joints ({', '.join(self.joint_names)})>"

    def _repr_html_(self) -> str:
        from ._drawing import arm_html  # where nobody looks, nothing is loaded
        return arm_html(self)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _from_text, (self.text, self.name)

    @staticmethod
    def from_dh(rows: Sequence[Mapping[str, Any]], name: str = "arm", convention: str = "standard",
                gravity: Sequence[float] = (0, 0, -9.80665), as_given: bool = False, **more: Any) -> "Arm":
        """An arm from its Denavit-Hartenberg table, a dict for each joint: theta, d, a, alpha [rad, m], of which those that are
        left out are 0; type "revolute" or "prismatic"; name; mass [kg], com (centre of mass) [m] and inertia (xx, yy, zz, xy, xz,
        yz about the centre of mass) [kg m^2] of the link, in its DH frame. Other keys are those of a joint in an arm file: limits,
        friction, drive. Further keywords are those of an arm file: tool, payload, base. as_given: links without mass are no error;
        enough for kinematics.

            Arm.from_dh([{"alpha": "90 deg", "mass": 2, "com": [0, 0, 0.1], "inertia": {"xx": .01, "yy": .01, "zz": .002}},
                         {"a": 0.4, "mass": 1, "com": [-0.2, 0, 0], "inertia": {"xx": .001, "yy": .02, "zz": .02}}])
        """
        joints = []
        for number, given in enumerate(rows, 1):
            row = dict(given)
            dh = {key: row.pop(key, 0) for key in ("theta", "d", "a", "alpha")}
            link = dict(row.pop("link", {}))
            for key in ("mass", "com", "inertia"):
                if key in row:
                    link[key] = row.pop(key)
            joint = {"name": row.pop("name", f"joint{number}"), **row, "dh": dh}
            if link:
                joint["link"] = link
            joints.append(joint)
        description = {"arm": name, "convention": convention, "gravity": list(gravity), "joints": joints, **more}
        return _from_text(yaml_of(description, name), name, as_given)

    # -- description ------------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The arm as the text of an arm file."""
        return text(lib.armature_arm_text(self._handle))

    @property
    def limits(self) -> Limits:
        """Limits of the joints."""
        arrays = np.empty((5, self.dof))
        check(lib.armature_arm_limits(self._handle, *(row.ctypes.data for row in arrays)))
        return Limits(*arrays)

    @property
    def parameters(self) -> Any:
        """(10 n,) inertial parameters: regressor(q, qd, qdd) @ parameters are the torques of inverse_dynamics. For each joint the mass that it
        moves, three first moments, and xx, xy, yy, xz, yz, zz of the inertia about the origin of the link's frame."""
        parameters = np.empty(10 * self.dof)
        check(lib.armature_arm_parameters(self._handle, parameters.ctypes.data))
        return parameters

    @property
    def links(self) -> List[Link]:
        """What each joint moves: mass, centre of mass, inertia."""
        links = []
        for joint, (mass, x, y, z, xx, xy, yy, xz, yz, zz) in zip(self.joint_names, self.parameters.reshape(-1, 10)):
            com = np.array([x, y, z]) / mass if mass != 0 else np.zeros(3)
            about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            links.append(Link(joint, float(mass), com, about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))))
        return links

    @property
    def slides(self) -> Any:
        """(n,) bool: which joints slide; the others turn."""
        return np.array([bool(lib.armature_arm_joint_slides(self._handle, i)) for i in range(self.dof)])

    @property
    def generated(self) -> bool:
        """Whether the dynamics are computed by functions that were generated for this arm, several times as fast."""
        return bool(lib.armature_arm_generated(self._handle))

    def compile(self, folder: Optional[Path] = None, **settings: Any) -> "Arm":
        """The same arm with functions generated and compiled for it, several times as fast; needs a C++ compiler, and some seconds
        the first time. folder: where they are kept for the next time (default: armature in the user's cache). effort: how long
        to search for fewer operations (1 is usual, 0 is quick)."""
        if folder is None:
            folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "armature")
        handle = ctypes.c_void_p()
        pairs = settings_of((key, yaml_of(value, key)) for key, value in settings.items())
        check(lib.armature_arm_compile(self._handle, c_text(folder), *pairs, ctypes.byref(handle)))
        return Arm(handle)

    def replace(self, **keys: Any) -> "Arm":
        """The same arm with other keys of its file: payload=2.0 [kg at the tool] or payload={"mass": 2, "com": [0, 0, 0.05]},
        gravity=[0, 0, -1.62], tool={"xyz": [0, 0, 0.1]}, name="..."."""
        if "name" in keys:
            keys["arm"] = keys.pop("name")
        payload = keys.get("payload")
        if payload is not None and not isinstance(payload, Mapping):
            keys["payload"] = {"mass": payload}
        handle = ctypes.c_void_p()
        settings = settings_of((key, yaml_of(value, key)) for key, value in keys.items())
        check(lib.armature_arm_replace(self._handle, *settings, ctypes.byref(handle)))
        return Arm(handle)

    def save(self, path: Path) -> None:
        """Writes the arm as an arm file (.yaml) that reads back as exactly the same, or as a URDF (.urdf)."""
        check(lib.armature_arm_save(self._handle, c_text(path)))

    # -- computing --------------------------------------------------------------------------------------------------------

    def function(self, quantity: str, **settings: Any) -> Function:
        """The function behind a quantity with its settings, kept for the next call."""
        key: Any = quantity
        if settings:
            settings = {name: value for name, value in settings.items() if value is not None and value is not False}
            if settings:
                key = quantity, tuple(sorted((name, yaml_of(value, name)) for name, value in settings.items()))
        found = self._functions.get(key)
        if found is None:
            found = Function(self, quantity, [] if key == quantity else key[1])
            if len(self._functions) > 64:  # settings that change all the time are not kept
                self._functions.clear()
            self._functions[key] = found
        return found

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, *, friction: bool = False, rotor: bool = False,
                         wrench: Any = None, method: Optional[str] = None, out: Any = None) -> Any:
        """Joint torques and forces that produce the accelerations qdd, (n,) or (N, n) [N m | N]: M(q) qdd + c(q, qd) + g(q).

        friction, rotor: with the friction of the joints, with the inertia of the rotors. wrench: force and moment on the tool,
        (6,), in base axes. method: "newton-euler" or "lagrange"."""
        if friction or rotor or wrench is not None or method is not None:
            function = self.function("inverse_dynamics", friction=friction, rotor=rotor, wrench=wrench, method=method)
        else:
            function = self._functions.get("inverse_dynamics") or self.function("inverse_dynamics")
        return function((q, qd, qdd), out)

    def forward_dynamics(self, q: Any, qd: Any, tau: Any, *, friction: bool = False, rotor: bool = False,
                         wrench: Any = None, out: Any = None) -> Any:
        """Accelerations that the torques tau produce, (n,) or (N, n) [rad/s^2 | m/s^2]. Options as in inverse_dynamics."""
        if friction or rotor or wrench is not None:
            function = self.function("forward_dynamics", friction=friction, rotor=rotor, wrench=wrench)
        else:
            function = self._functions.get("forward_dynamics") or self.function("forward_dynamics")
        return function((q, qd, tau), out)

    def mass_matrix(self, q: Any, *, rotor: bool = False, out: Any = None) -> Any:
        """M(q), (n, n) or (N, n, n)."""
        return self.function("mass_matrix", rotor=rotor)((q,), out)

    def coriolis(self, q: Any, qd: Any, *, out: Any = None) -> Any:
        """The torques C(q, qd) qd of Coriolis and centrifugal forces, (n,) or (N, n) [N m | N]."""
        return self.function("coriolis")((q, qd), out)

    def gravity(self, q: Any, *, out: Any = None) -> Any:
        """Torques that hold the arm still, (n,) or (N, n) [N m | N]."""
        return self.function("gravity")((q,), out)

    def energy(self, q: Any, qd: Any, *, rotor: bool = False, out: Any = None) -> Energy:
        """Kinetic and potential energy [J]: a number each, or (N,)."""
        function = self.function("energy", rotor=rotor)
        return Energy(*filled(function.split(function((q, qd))), out))

    def regressor(self, q: Any, qd: Any, qdd: Any, *, friction: bool = False, rotor: bool = False, out: Any = None) -> Any:
        """W with W @ arm.parameters = tau, (n, 10 n) or (N, n, 10 n): for each link mass, three first moments, six moments of inertia.
        With friction or rotor a tuple: W, then the columns of friction (Coulomb, viscous, offset), then those of rotors."""
        function = self.function("regressor", friction=friction, rotor=rotor)
        if len(function.parts) == 1:
            return function((q, qd, qdd), out)
        return tuple(filled(function.split(function((q, qd, qdd))), out))

    def inverse_dynamics_derivatives(self, q: Any, qd: Any, qdd: Any, *, out: Any = None) -> TorqueDerivatives:
        """How the torques change with the state, exactly: .dq, .dqd and .dqdd, the mass matrix, (n, n) or (N, n, n) each."""
        function = self.function("inverse_dynamics_derivatives")
        return TorqueDerivatives(*filled(function.split(function((q, qd, qdd))), out))

    def forward_dynamics_derivatives(self, q: Any, qd: Any, tau: Any, *, out: Any = None) -> AccelerationDerivatives:
        """How the accelerations change with the state, exactly: .dq, .dqd and .dtau, (n, n) or (N, n, n) each."""
        function = self.function("forward_dynamics_derivatives")
        return AccelerationDerivatives(*filled(function.split(function((q, qd, tau))), out))

    def forward_kinematics(self, q: Any, *, frame: Optional[str] = None, out: Any = None) -> Pose:
        """Where the tool is, or the link `frame`, in the base frame: .position, .quaternion, .rotation, .matrix."""
        numbers = self.function("forward_kinematics", frame=frame)((q,))
        return Pose(*filled((numbers[..., :3], numbers[..., 3:]), out))

    def jacobian(self, q: Any, *, frame: Optional[str] = None, representation: Optional[str] = None, out: Any = None) -> Any:
        """(6, n) or (N, 6, n): velocity, then angular velocity of the tool (or the link `frame`) in base axes.
        representation "zyz" or "rpy": rates of these angles in place of the angular velocity."""
        return self.function("jacobian", frame=frame, representation=representation)((q,), out)

    def operational_space(self, q: Any, qd: Any, *, task: Optional[str] = None, out: Any = None) -> OperationalSpace:
        """The dynamics seen from the tool. task: some of "x,y,z,rx,ry,rz"; all, or x,y,z for fewer than six joints."""
        function = self.function("operational_space", task=task)
        return OperationalSpace(*filled(function.split(function((q, qd))), out))

    def inverse_kinematics(self, target: Any, *, guess: Any = None, method: Optional[str] = None,
                           redundancy: Optional[float] = None) -> Solution:
        """Joint positions that bring the tool to a target: a Pose, positions (3,) or (N, 3), positions with quaternions (7,) or
        (N, 7), or homogeneous transforms (4, 4) or (N, 4, 4). guess: where to start, or which solution to stay near.
        method: "closed-form" (default where known), "damped-least-squares" (default elsewhere), "newton",
        "transposed-jacobian". redundancy [rad], of seven-axis arms with a closed form: the arm angle where the wrist is spherical,
        else the position of joint 7; left out, that of the guess or the one next to it that keeps the limits. Solutions within
        the limits come first, the one nearest to the guess before the others. Not reaching a target is no error: see
        Solution.found."""
        numbers = _targets_of(target)
        names, arrays = ["target"], [numbers]
        targets = common_states(arrays, names, numbers.shape[-1] if numbers.shape[-1] in (3, 7) else 7, "target")
        count = 1 if targets is None else targets
        start = None
        if guess is not None:
            guess = as_numbers(guess, "guess")
            rows = common_states([guess], ["guess"], self.dof, "target")
            if rows is not None and rows != count:
                raise Error(f"guess has {rows} rows for {count} targets", "as many rows, or one for all", "guess")
            start = input_of(guess, count)
        capacity = 8
        q, found, error = np.zeros((count, capacity, self.dof)), np.zeros(count, np.int32), np.zeros((count, 2))
        given = {"method": method, "redundancy": redundancy}
        settings = settings_of((key, yaml_of(value, key)) for key, value in given.items() if value is not None)
        check(lib.armature_inverse_kinematics(self._handle, *settings, count, ctypes.byref(input_of(numbers, count)),
                                              numbers.shape[-1], None if start is None else ctypes.byref(start), capacity,
                                              q.ctypes.data, found.ctypes.data, error.ctypes.data))
        every = [q[i, :min(found[i], capacity)] for i in range(count)]
        if targets is None:
            return Solution(q[0, 0], int(found[0]), float(error[0, 0]), float(error[0, 1]), every[0])
        return Solution(q[:, 0], found, error[:, 0], error[:, 1], every)

    def bind(self, quantity: str, *inputs: Any, out: Any = None, **settings: Any) -> Bound:
        """A function bound to its arrays, for loops: call = arm.bind("inverse_dynamics", q, qd, qdd); then call() computes from
        what the arrays hold and returns call.out."""
        function = self.function(quantity, **settings)
        if len(inputs) != len(function.names):
            raise Error(f"{quantity} takes {', '.join(function.names)}", f"{len(inputs)} arrays were given")
        return Bound(function, inputs, out)

    def device_function(self, quantity: str, *, device: str = "cuda", effort: float = 1.0) -> DeviceFunction:
        """A quantity compiled for a graphics processor, for arrays in its memory that are not copied (DLPack: PyTorch, CuPy, JAX):
        f = arm.device_function("inverse_dynamics"); tau = f(q, qd, qdd). quantity: inverse_dynamics, forward_dynamics, mass_matrix,
        gravity, jacobian, or forward_kinematics (x, y, z, qw, qx, qy, qz). It needs nvcc, and some seconds the first time.
        device="host": the same text compiled for this machine, to try a program with numpy arrays where there is no such processor."""
        return DeviceFunction(self, quantity, device, effort)

    def derive(self, what: str = "inverse_dynamics", lang: str = "cpp", **settings: Any) -> str:
        """A function of this arm as program text in "cpp", "c", "cuda", "matlab", "python" or "latex". what: "all", or one of
        inverse_dynamics, forward_dynamics, mass_matrix, coriolis, gravity, forward_kinematics, jacobian, regressor, ...
        effort: how long to search for fewer operations (1 is usual)."""
        from ._results import NativeResult
        handle = ctypes.c_void_p()
        pairs = settings_of((key, yaml_of(value, key)) for key, value in settings.items())
        check(lib.armature_derive(self._handle, c_text(what), c_text(lang), *pairs, ctypes.byref(handle)))
        return NativeResult(handle).text

    def symbolic(self, what: str = "mass-matrix,coriolis,gravity", form: str = "text", **options: Any) -> Dict[str, Any]:
        """Equations in named parameters, by the name of the entry: {"g2": "g*(p7*cos(q2) + ...)"}. what: some of base-parameters,
        mass-matrix, coriolis, gravity, regressor, forward-kinematics, jacobian. form: "text", "latex", or "sympy" where SymPy is
        installed. parameters="links": those of the links (m3, mcx3, ...) instead of base parameters."""
        from ._chain import command
        if form not in ("text", "latex", "sympy"):
            raise Error(f"there is no form {form!r}", "text, latex or sympy", "form")
        equations = command("derive", self, symbolic=True, what=what, **options)["equations"]
        if form != "sympy":
            return {entry["name"]: entry["latex" if form == "latex" else "formula"] for entry in equations}
        try:
            sympy: Any = importlib.import_module("sympy")
        except ImportError:
            raise ImportError("SymPy is not installed\n  hint: python3 -m pip install sympy") from None
        names = {name for entry in equations for name in re.findall(r"[A-Za-z_]\w*", entry["formula"])} - {"sin", "cos", "sqrt", "tan"}
        symbols = {name: sympy.Symbol(name, real=True) for name in names}  # also those that SymPy has another meaning for: I, S, N
        return {entry["name"]: sympy.sympify(entry["formula"].replace("^", "**"), locals=symbols) for entry in equations}


def _targets_of(target: Any) -> Any:
    """Targets as (3,), (7,), (N, 3) or (N, 7)."""
    if isinstance(target, Pose):
        return np.concatenate([as_numbers(target.position, "target"), as_numbers(target.quaternion, "target")], -1)
    numbers = as_numbers(target, "target")
    if numbers.ndim >= 2 and numbers.shape[-2:] == (4, 4) and numbers.ndim <= 3:
        return _from_matrices(numbers.astype(np.float64))
    if numbers.ndim not in (1, 2) or numbers.shape[-1] not in (3, 7):
        raise Error(f"target has the shape {numbers.shape}",
                    "(3,) a position, (7,) with a quaternion w, x, y, z, (4, 4) a transform; N of them with N rows", "target")
    return numbers


def _from_matrices(T: Any) -> Any:
    """Positions and quaternions of homogeneous transforms, each by the largest of its four squares."""
    R = T[..., :3, :3]
    if not np.allclose(R @ np.swapaxes(R, -1, -2), np.eye(3), atol=1e-6) or not np.all(np.linalg.det(R) > 0):
        raise Error("the rotation of a target is none", "rows and columns of unit length, at right angles", "target")
    d = np.diagonal(R, axis1=-2, axis2=-1)
    trace = d.sum(-1)
    squares = np.stack([trace, *np.moveaxis(2 * d - trace[..., None], -1, 0)], -1) + 1  # 4 w^2, 4 x^2, 4 y^2, 4 z^2
    k = np.argmax(squares, -1)
    a = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1)
    s = np.stack([R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]], -1)
    candidates = np.stack([
        np.stack([squares[..., 0], a[..., 0], a[..., 1], a[..., 2]], -1),
        np.stack([a[..., 0], squares[..., 1], s[..., 0], s[..., 1]], -1),
        np.stack([a[..., 1], s[..., 0], squares[..., 2], s[..., 2]], -1),
        np.stack([a[..., 2], s[..., 1], s[..., 2], squares[..., 3]], -1)], -2)
    q = np.take_along_axis(candidates, k[..., None, None], -2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.concatenate([T[..., :3, 3], q], -1)


def _from_text(description: str, name: str = "arm", as_given: bool = False) -> Arm:
    handle = ctypes.c_void_p()
    settings = settings_of([("as_given", "true")] if as_given else [])
    check(lib.armature_arm_from_text(c_text(description), c_text(name), *settings, ctypes.byref(handle)))
    return Arm(handle)


def load(arm: Path, *, base: Optional[str] = None, tip: Optional[str] = None, lock: Optional[Mapping[str, Any]] = None,
         as_given: bool = False) -> Arm:
    """An arm: a built-in one by its name (see arms()), an arm file (.yaml) or a URDF (.urdf).

    base, tip: links of a URDF between which the chain lies. lock: joints of a URDF that are held, {"torso": "20 cm"}.
    as_given: compute with inertia that is missing or that no body has. What a person should know about the arm is warned of.
    """
    if isinstance(arm, Arm):
        return arm
    settings: Dict[str, Any] = {"base": base, "tip": tip}
    pairs = [(key, yaml_of(value, key)) for key, value in settings.items() if value is not None]
    pairs += [("lock." + joint, yaml_of(value if isinstance(value, str) else repr(float(value)), "lock")) for joint, value in (lock or {}).items()]
    if as_given:
        pairs.append(("as_given", "true"))
    handle = ctypes.c_void_p()
    check(lib.armature_arm_load(c_text(arm), *settings_of(pairs), ctypes.byref(handle)))
    made = Arm(handle)
    for sentence in made.warnings:
        warnings.warn(sentence, stacklevel=2)
    return made


def arms() -> List[str]:
    """The names of the built-in arms."""
    return texts(lib.armature_arm_built_in)
