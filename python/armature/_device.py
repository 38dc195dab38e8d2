"""Functions of an arm over arrays that lie in the memory of a graphics processor: PyTorch, CuPy, JAX, whatever speaks DLPack."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._compute import common_states
from ._library import Error, Input, c_text, check, lib, settings_of, texts
from ._settings import yaml_of

_DEFAULT_STREAM = 1  # of CUDA, as DLPack writes it: what the producer of an array has to wait for
_DEVICES = {"host": (1,), "cuda": (2, 13)}  # kinds of memory in DLPack: of this machine; of CUDA, managed by CUDA
_SHAPES = {"inverse_dynamics": "n", "forward_dynamics": "n", "gravity": "n", "mass_matrix": "nn", "jacobian": "6n", "forward_kinematics": "7"}
_ARGUMENTS = {"inverse_dynamics": ("q", "qd", "qdd"), "forward_dynamics": ("q", "qd", "tau")}


class _Tensor(ctypes.Structure):
    """DLTensor, the head of what a DLPack capsule holds."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _View:
    """An array where it lies: its address, shape and strides in bytes. Holds the capsule, and with it the memory. seeds: of 64-bit integers."""

    def __init__(self, array: Any, name: str, device: str, seeds: bool = False) -> None:
        if not hasattr(array, "__dlpack_device__"):
            raise Error(f"{name} is no array that speaks DLPack", "a tensor of PyTorch, CuPy or JAX; with device=\"host\" a numpy array", name)
        if int(array.__dlpack_device__()[0]) not in _DEVICES[device]:
            raise Error(f"{name} does not lie in the memory of the device", f"this was made for {device}", name)
        try:
            self._capsule = array.__dlpack__() if device == "host" else array.__dlpack__(stream=_DEFAULT_STREAM)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise Error(f"{name} cannot be shared: {error}", "a plain array of numbers that needs no gradient", name) from None
        tensor = _Tensor.from_address(_pointer_in(self._capsule, b"dltensor"))
        if seeds and (tensor.code not in (0, 1) or tensor.bits != 64 or tensor.lanes != 1):
            raise Error(f"{name} holds no 64-bit integers", "an array of int64 or uint64", name)
        if not seeds and (tensor.code != 2 or tensor.bits not in (32, 64) or tensor.lanes != 1):
            raise Error(f"{name} holds no float64 or float32 numbers", "convert it first", name)
        self.size = tensor.bits // 8
        self.ndim = int(tensor.ndim)
        self.shape: Tuple[int, ...] = tuple(tensor.shape[i] for i in range(self.ndim))
        strides: List[int] = []
        for i in range(self.ndim):
            strides.append(tensor.strides[i] if tensor.strides else _product(self.shape[i + 1:]))
        self.strides = [self.size * step for step in strides]
        self.address = (tensor.data or 0) + tensor.byte_offset

    def described(self, states: int) -> Input:
        """As inputs of armature.h; (n,) is the same for all states."""
        step = self.strides[0] if self.ndim == 2 and states > 1 else 0
        return Input(self.address, int(self.size == 4), step, self.strides[-1])


def _product(numbers: Sequence[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def _empty_like(array: Any, shape: Tuple[int, ...]) -> Any:
    """A new array of the same library, kind of number and device."""
    if hasattr(array, "new_empty"):  # PyTorch
        return array.new_empty(shape)
    library = sys.modules.get(type(array).__module__.split(".")[0])
    if library is None or not hasattr(library, "empty"):
        raise Error("there is no out, and no way is known to make one", "out: an array on the same device", "out")
    return library.empty(shape, dtype=array.dtype)


class DeviceFunction:
    """A quantity of an arm, compiled for a device: tau = f(q, qd, qdd) for arrays (N, n) in its memory, or (n,) for the same in all states.

    The arrays may be of any library that speaks DLPack, float64 or float32 (all alike; float32 is computed as such), with any strides; the
    fastest are those whose states lie next to each other (torch.empty(n, N).T). Nothing is copied. out: where the results go; its numbers for one
    state lie one after the other, whatever the step between states. Results are there when the call returns. Numbers are not checked.
    """

    def __init__(self, arm: Any, quantity: str, device: str, effort: float) -> None:
        self._handle: Any = None
        handle = ctypes.c_void_p()
        check(lib.armature_device_function_new(arm._handle, c_text(quantity), *settings_of([("device", device), ("effort", repr(float(effort)))]),
                                               ctypes.byref(handle)))
        self._handle, self.device, self.dof = handle, device, int(arm.dof)
        self.quantity = quantity.replace("-", "_")
        self.names = _ARGUMENTS.get(self.quantity, ("q",))
        self.shape = tuple(self.dof if letter == "n" else int(letter) for letter in _SHAPES[self.quantity])

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_device_function_free(handle)

    def __call__(self, *inputs: Any, out: Any = None) -> Any:
        if len(inputs) != len(self.names):
            raise Error(f"{self.quantity} takes {', '.join(self.names)}", f"{len(inputs)} arrays were given")
        views = [_View(array, name, self.device) for array, name in zip(inputs, self.names)]
        states = common_states(views, self.names, self.dof, "state")
        shape = self.shape if states is None else (states, *self.shape)
        if out is None:
            out = _empty_like(inputs[0], shape)
        result = _View(out, "out", self.device)
        if result.shape != shape:
            raise Error(f"out has the shape {result.shape}", f"the results have the shape {shape}", "out")
        if any(view.size != result.size for view in views):
            raise Error("float64 and float32 are mixed", "on a device all arrays are of one kind")
        inner, steps = self.shape, result.strides[-len(self.shape):]
        if list(steps) != [result.size * _product(inner[i + 1:]) for i in range(len(inner))] and len(inner) > 1:
            raise Error("the numbers of one result in out do not lie one after the other", "a contiguous array, or one with any step between states",
                        "out")
        count = 1 if states is None else states
        described = (Input * len(views))(*(view.described(count) for view in views))
        target = Input(result.address, int(result.size == 4), result.strides[0] if states is not None else 0, steps[-1])
        check(lib.armature_device_function_states(self._handle, count, described, len(views), ctypes.byref(target), None))
        return out


class DeviceRollout:
    """Many runs of one scenario's closed loop, compiled for a device (armature.device_rollout makes it).

    metrics = rollout({"start.q": q0, "arm.payload.mass": mass}, seed=seeds): arrays of any library that speaks DLPack, float64 or float32 (all alike), SI.
    A key of n numbers takes (N, n), or (n,) for the same in all runs, a key of one number (N,); what is not given is the scenario's. seed: (N,) 64-bit integers, a run's own noise; without
    them all runs have the scenario's. The answer maps names to arrays (N,) of the same library: "outcome" (0 complete; 1 diverged, its metrics are NaN; 2 its energy balance does not
    close) and the metrics; "q" and "qd", where the runs end, are (N, joints). All are views of one array, `out` where it is given: (len(rollout.results), N).
    Results are there when the call returns. Numbers are not checked: a run in which one is not finite has diverged.

    inputs: how many numbers each key takes. results: what the rows of `out` are.
    """

    def __init__(self, scenario: str, folder: Optional[str], settings: Sequence[Tuple[str, str]], vary: Sequence[str], metrics: Optional[Sequence[str]],
                 device: str, effort: Optional[float]) -> None:
        self._handle: Any = None
        if isinstance(vary, str):
            raise Error("vary is a text", f"a list of keys: [{vary!r}]", "vary")
        pairs = [*settings, ("device", device)]
        if metrics is not None:
            pairs.append(("metrics", yaml_of(list(metrics), "metrics")))
        if effort is not None:
            pairs.append(("effort", repr(float(effort))))
        keys = [c_text(key) for key in vary]
        handle = ctypes.c_void_p()
        check(lib.armature_device_rollout_new(c_text(scenario), None if folder is None else c_text(folder), (ctypes.c_char_p * len(keys))(*keys), len(keys),
                                              *settings_of(pairs), ctypes.byref(handle)))
        self._handle, self.device = handle, device
        self.inputs: Dict[str, int] = {key: int(lib.armature_device_rollout_width(handle, i)) for i, key in enumerate(vary)}
        self.results = tuple(texts(lib.armature_device_rollout_result, handle))
        self._dof = sum(name.startswith("q.") for name in self.results)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_device_rollout_free(handle)

    def _described(self, view: _View, key: str) -> Tuple[Input, Optional[int]]:
        """An input of armature.h, and how many runs it is of; None: the same in all."""
        width = self.inputs[key]
        if width == 1 and view.ndim == 1:
            return Input(view.address, int(view.size == 4), view.strides[0], view.size), view.shape[0]
        if view.ndim == 2 and view.shape[1] == width:
            return Input(view.address, int(view.size == 4), view.strides[0], view.strides[1]), view.shape[0]
        if view.shape == (width,):
            return Input(view.address, int(view.size == 4), 0, view.strides[0]), None
        raise Error(f"{key} has the shape {view.shape}", "(N,), a number of each run" if width == 1 else f"(N, {width}), or ({width},) for all runs", key)

    def __call__(self, inputs: Optional[Mapping[str, Any]] = None, *, seed: Any = None, out: Any = None) -> Dict[str, Any]:
        given = dict(inputs or {})
        for key in given:
            if key not in self.inputs:
                raise Error(f"'{key}' does not vary in these rollouts", f"what varies: {', '.join(self.inputs) or 'nothing'}", key)
        views = {key: _View(array, key, self.device) for key, array in given.items()}
        described: List[Input] = []
        runs: Optional[int] = None
        first = ""
        for key in self.inputs:
            entry, own = self._described(views[key], key) if key in views else (Input(None, 0, 0, 0), None)
            described.append(entry)
            if own is not None and runs is not None and own != runs:
                raise Error(f"{first} is of {runs} runs and {key} of {own}", "as many in each", key)
            if own is not None:
                runs, first = own, key
        seeds = None if seed is None else _View(seed, "seed", self.device, seeds=True)
        if seeds is not None:
            if seeds.ndim != 1 or (seeds.shape[0] > 1 and seeds.strides[0] != seeds.size):
                raise Error(f"seed has the shape {seeds.shape}", "(N,), one number after the other", "seed")
            if runs is not None and seeds.shape[0] != runs:
                raise Error(f"{first} is of {runs} runs and seed of {seeds.shape[0]}", "as many in each", "seed")
            runs = seeds.shape[0]
        shape = (len(self.results), 1 if runs is None else runs)
        if out is None:
            if not given:
                raise Error("there is neither an input nor out", "out: an array on the same device", "out")
            out = _empty_like(next(iter(given.values())), shape)
        result = _View(out, "out", self.device)
        if result.shape != shape:
            raise Error(f"out has the shape {result.shape}", f"the results have the shape {shape}", "out")
        if any(view.size != result.size for view in views.values()):
            raise Error("float64 and float32 are mixed", "on a device all arrays are of one kind")
        target = Input(result.address, int(result.size == 4), result.strides[1], result.strides[0])
        check(lib.armature_device_rollout_runs(self._handle, shape[1], (Input * len(described))(*described), len(described),
                                               None if seeds is None else seeds.address, ctypes.byref(target), None))
        named = {name: out[i] for i, name in enumerate(self.results[:-2 * self._dof])}
        return {**named, "q": out[-2 * self._dof:-self._dof].T, "qd": out[-self._dof:].T}
