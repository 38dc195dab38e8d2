"""Control laws: ours as objects, and yours in a simulated loop."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int, c_size_t, c_void_p
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from ._arm import Arm, Path, load
from ._compute import as_numbers
from ._library import Error, check, lib, settings_of, text, texts
from ._settings import name_of, yaml_of


class Reference(NamedTuple):
    """What is wanted now; what is None is not said."""

    q: Any = None  #: (n,) [rad | m]
    qd: Any = None  #: (n,)
    qdd: Any = None  #: (n,)
    pose: Any = None  #: (7,) of the tool: x, y, z, and the quaternion w, x, y, z
    twist: Any = None  #: (6,) velocity and angular velocity of the tool
    acceleration: Any = None  #: (6,)
    wrench: Any = None  #: (6,) that the tool should exert [N, N m]


class Tick(ctypes.Structure):
    _fields_ = [("dof", c_size_t), ("dt", c_double)] + [(name, c_void_p) for name in (
        "q", "qd", "torque", "wrench", "q_ref", "qd_ref", "qdd_ref", "tool_ref", "twist_ref", "acceleration_ref", "wrench_ref")]


_Reset = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Tick))
_Update = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Tick), POINTER(c_double))


class OwnLaw(ctypes.Structure):
    _fields_ = [("reset", _Reset), ("update", _Update), ("user", c_void_p), ("needs_tool", c_int)]


def laws() -> List[str]:
    """The kinds of laws."""
    return texts(lib.armature_law_kind)


def _numbers(value: Any, size: int, name: str) -> Any:
    array = np.ascontiguousarray(as_numbers(value, name), np.float64)
    if array.shape != (size,):
        raise Error(f"{name} has the shape {array.shape}", f"({size},) is needed", name)
    return array


class Law:
    """A control law for a loop of your own, as it runs in simulate(), for one thread at a time.

        law = armature.Law("computed_torque", arm, kp=400, kd=40, safety={"on": True})
        law.reset(q, qd)
        tau = law.update(q, qd, armature.Reference(q_ref, qd_ref, qdd_ref))

    arm: the one that the law believes in. tick: how often update() is called [s]. Keywords are the keys of a scenario's block
    `controller` (armature simulate --help-keys controller): those of the kind of law, and safety, observer, collision, payload_watch
    around it; lambda_ stands for `lambda`.
    """

    def __init__(self, kind: str, arm: Any, tick: float = 1e-3, **settings: Any) -> None:
        settings = {name_of(key): value for key, value in settings.items()}
        self.kind, self.tick, self.arm, self.settings = kind, float(tick), load(arm), settings
        self._handle: Any = ctypes.c_void_p()
        pairs = [("kind", yaml_of(kind, "kind"))] + [(key, yaml_of(value, key)) for key, value in settings.items()]
        check(lib.armature_law_new(self.arm._handle, self.tick, *settings_of(pairs), ctypes.byref(self._handle)))

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_law_free(handle)

    def __repr__(self) -> str:
        return f"<armature.Law {self.kind!r} for {self.arm.name!r}>"

    def _tick(self, dt: float, q: Any, qd: Any, reference: Optional[Reference] = None, torque: Any = None,
              wrench: Any = None) -> Any:
        """The tick, and the arrays that it points to."""
        n = self.arm.dof
        given = {"q": (q, n), "qd": (qd, n), "torque": (torque, n), "wrench": (wrench, 6)}
        if reference is not None:
            r = reference if isinstance(reference, Reference) else Reference(*reference)
            given.update(q_ref=(r.q, n), qd_ref=(r.qd, n), qdd_ref=(r.qdd, n), tool_ref=(r.pose, 7), twist_ref=(r.twist, 6),
                         acceleration_ref=(r.acceleration, 6), wrench_ref=(r.wrench, 6))
        arrays = {name: _numbers(value, size, name) for name, (value, size) in given.items() if value is not None}
        return Tick(n, dt, **{name: array.ctypes.data for name, array in arrays.items()}), arrays

    def reset(self, q: Any, qd: Any = None) -> None:
        """Begins anew at this state; at rest where qd is left out."""
        tick, _arrays = self._tick(0, q, np.zeros(self.arm.dof) if qd is None else qd)
        check(lib.armature_law_reset(self._handle, ctypes.byref(tick)))

    def update(self, q: Any, qd: Any, reference: Any, dt: Optional[float] = None, *, torque: Any = None, wrench: Any = None) -> Any:
        """The torques of this tick, (n,) [N m | N]. reference: a Reference, or (q, qd, qdd). dt: since the last tick (default:
        the tick); 0: only compute. torque, wrench: of sensors, for laws that read them."""
        tick, _arrays = self._tick(self.tick if dt is None else dt, q, qd, reference, torque, wrench)
        tau = np.zeros(self.arm.dof)
        check(lib.armature_law_update(self._handle, ctypes.byref(tick), tau.ctypes.data))
        return tau

    @property
    def parts(self) -> Dict[str, Any]:
        """What the last torque is made of, by name; some laws add estimates and errors."""
        found = {}
        for index, name in enumerate(texts(lib.armature_law_part, self._handle)):
            size = lib.armature_law_part_size(self._handle, index)
            value = lib.armature_law_part_value(self._handle, index)
            found[name] = np.array((c_double * size).from_address(value)) if size else np.empty(0)
        return found

    @property
    def status(self) -> List[str]:
        """The conditions in which the last tick left the law: "saturated", "singular", ...; empty: nothing to say."""
        return texts(lib.armature_law_condition, self._handle)


def _named(function: Callable[..., Any], names: Sequence[str]) -> List[str]:
    """Those of the names that the function has parameters for."""
    import inspect
    try:
        return [name for name in names if name in inspect.signature(function).parameters]
    except (TypeError, ValueError):  # a function of C may not say
        return []


class InLoop:
    """A law of Python as the library calls it; the first exception that it raises ends the run and is kept."""

    def __init__(self, law: Any) -> None:
        self.error: Optional[BaseException] = None
        self._law = law
        update = getattr(law, "update", law)
        if not callable(update):
            raise Error("law has no update(q, qd, reference, dt)", "an object with update() and perhaps reset(), or a function", "law")
        self._update: Callable[..., Any] = update
        self._sensors = _named(update, ("torque", "wrench"))
        self.struct = OwnLaw(_Reset(self._on_reset), _Update(self._on_update), None, int(bool(getattr(law, "needs_tool", False))))

    def _array(self, address: Any, size: int) -> Any:
        return None if not address else np.array((c_double * size).from_address(address))

    def _on_reset(self, _: Any, tick: Any) -> int:
        try:
            reset = getattr(self._law, "reset", None)
            if reset is not None:
                reset(self._array(tick.contents.q, tick.contents.dof), self._array(tick.contents.qd, tick.contents.dof))
            return 0
        except BaseException as error:  # noqa: B902 - it must not cross the library
            self.error = self.error or error
            return 1

    def _on_update(self, _: Any, tick: Any, tau: Any) -> int:
        try:
            t, n = tick.contents, tick.contents.dof
            reference = Reference(self._array(t.q_ref, n), self._array(t.qd_ref, n), self._array(t.qdd_ref, n),
                                  self._array(t.tool_ref, 7), self._array(t.twist_ref, 6), self._array(t.acceleration_ref, 6),
                                  self._array(t.wrench_ref, 6))
            sensed = {name: self._array(getattr(t, name), 6 if name == "wrench" else n) for name in self._sensors}
            torque = _numbers(self._update(self._array(t.q, n), self._array(t.qd, n), reference, t.dt, **sensed), n,
                              "the torque of the law")
            if not np.all(np.isfinite(torque)):
                raise Error(f"the law returned {torque}", "one finite torque per joint", "law")
            ctypes.memmove(tau, torque.ctypes.data, 8 * n)
            return 0
        except BaseException as error:  # noqa: B902
            self.error = self.error or error
            return 1


class Guarded(Law):
    """Any law with our guard around it: torques within the limits of the arm, and what else `safety` says
    (armature simulate --help-keys controller.safety).

        law = armature.Guarded(my_law, arm, collision={...})
        law.reset(q, qd)
        tau = law.update(q, qd, reference)

    law: as simulate() takes one: an object with update(q, qd, reference, dt) -> tau and perhaps reset(q, qd), or a function like
    update; what it raises comes out of update(). Or a Law: then arm and tick are its own, and what is made is a second one like
    it, with a guard. Keywords: safety, observer, collision, payload_watch.
    """

    def __init__(self, law: Any, arm: Any = None, tick: Optional[float] = None, **settings: Any) -> None:
        safety = dict(settings.pop("safety", {}))
        safety.setdefault("on", True)
        self._inside: Optional[InLoop] = None
        if isinstance(law, Law):
            if arm is not None and load(arm).text != law.arm.text:
                raise Error("the law is for another arm", "leave arm out: it is the law's own", "arm")
            if isinstance(law, Guarded):
                raise Error("this law has a guard already", "one is enough", "law")
            super().__init__(law.kind, law.arm, law.tick if tick is None else tick, **{
                **law.settings, **settings, "safety": {**law.settings.get("safety", {}), **safety}})
            return
        if arm is None:
            raise Error("a guard needs the arm whose limits it keeps", "Guarded(law, arm)", "arm")
        self.kind, self.tick, self.arm, self.settings = "guarded", 1e-3 if tick is None else float(tick), load(arm), settings
        self._handle: Any = ctypes.c_void_p()
        self._inside = InLoop(law)
        pairs = [(key, yaml_of(value, key)) for key, value in {"safety": safety, **settings}.items()]
        check(lib.armature_law_around(self.arm._handle, self.tick, ctypes.byref(self._inside.struct), *settings_of(pairs),
                                      ctypes.byref(self._handle)))

    def reset(self, q: Any, qd: Any = None) -> None:
        if self._inside is not None:
            self._inside.error = None
        self._own(lambda: super(Guarded, self).reset(q, qd))

    def update(self, q: Any, qd: Any, reference: Any, dt: Optional[float] = None, *, torque: Any = None, wrench: Any = None) -> Any:
        return self._own(lambda: super(Guarded, self).update(q, qd, reference, dt, torque=torque, wrench=wrench))

    def _own(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Error:
            if self._inside is not None and self._inside.error is not None:
                raise self._inside.error from None
            raise
