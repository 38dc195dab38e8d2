"""Functions of an arm over arrays that lie in the memory of a graphics processor: PyTorch, CuPy, JAX, whatever speaks DLPack."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, List, Sequence, Tuple

from ._compute import common_states
from ._library import Error, Input, c_text, check, lib, settings_of

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
    """An array where it lies: its address, shape and strides in bytes. Holds the capsule, and with it the memory."""

    def __init__(self, array: Any, name: str, device: str) -> None:
        try:
            kind = int(array.__dlpack_device__()[0])
            self._capsule = array.__dlpack__() if device == "host" else array.__dlpack__(stream=_DEFAULT_STREAM)
        except AttributeError:
            raise Error(f"{name} is no array that speaks DLPack", "a tensor of PyTorch, CuPy or JAX; with device=\"host\" a numpy array",
                        name) from None
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise Error(f"{name} cannot be shared: {error}", "a plain array of float64 or float32 that needs no gradient", name) from None
        if kind not in _DEVICES[device]:
            raise Error(f"{name} does not lie in the memory of the device", f"this function was made for {device}", name)
        tensor = _Tensor.from_address(_pointer_in(self._capsule, b"dltensor"))
        if tensor.code != 2 or tensor.bits not in (32, 64) or tensor.lanes != 1:
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
