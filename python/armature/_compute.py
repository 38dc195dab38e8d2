"""Numpy arrays in, numpy arrays out: one state (n,) or many (N, n)."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._library import Error, Input, c_text, check, last_error, lib, settings_of, text, texts

Array = "np.ndarray[Any, Any]"
_WORDS = {"q": "q", "v": "qd", "a": "qdd", "t": "tau"}
_state = lib.armature_function_state
_ARRAY, _DOUBLE = np.ndarray, np.dtype(np.float64)  # looked up in every call


def as_numbers(value: Any, name: str) -> Any:
    """An array of float64 or float32, as it lies in memory where it is one already. Raises Error for anything else."""
    if type(value) is not np.ndarray:
        if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
            raise Error(f"{name} is a masked array", "fill in the masked values first")
        try:
            value = np.asarray(value)
        except Exception as error:  # a list of lists of different lengths, say
            raise Error(f"{name} is no array of numbers: {error}", "one number per joint") from None
    if value.dtype.kind not in "fiu" or value.dtype.itemsize > 8:
        if value.dtype.kind in "fiu":
            return value.astype(np.float64)
        raise Error(f"{name} holds values of type {value.dtype}", "real numbers are needed")
    if value.dtype != np.float64 and value.dtype != np.float32 or not value.dtype.isnative:
        return value.astype(np.float64)
    return value


def input_of(array: Any, states: int) -> Input:
    """How an array (n,) or (N, n) lies in memory; (n,) is the same for all states."""
    step = array.strides[0] if array.ndim == 2 and states > 1 else 0
    return Input(array.__array_interface__["data"][0], int(array.dtype == np.float32), step, array.strides[-1])


def common_states(arrays: Sequence[Any], names: Sequence[str], width: int, what: str) -> Optional[int]:
    """The number of states in arrays (N, width); None where all are (width,). Raises Error where they do not fit."""
    states: Optional[int] = None
    first = ""
    for array, name in zip(arrays, names):
        if array.ndim not in (1, 2) or array.shape[-1] != width:
            raise Error(f"{name} has the shape {array.shape}", f"({width},) for one {what}, or (N, {width}) for N of them")
        if array.ndim == 2:
            if states is not None and array.shape[0] != states:
                raise Error(f"{first} has {states} rows and {name} has {array.shape[0]}",
                            f"as many rows in each, or the shape ({width},) for the same in all")
            states, first = array.shape[0], name
    return states


class Function:
    """A quantity of an arm with its settings, as arrays see it."""

    def __init__(self, arm: Any, quantity: str, settings: Sequence[Tuple[str, str]]) -> None:
        handle = ctypes.c_void_p()
        check(lib.armature_function_new(arm._handle, c_text(quantity), *settings_of(settings), ctypes.byref(handle)))
        self._handle: Any = handle
        self.quantity = quantity
        self.dof: int = arm.dof
        self.names = [_WORDS[letter] for letter in text(lib.armature_function_inputs(handle))]
        self.width: int = lib.armature_function_width(handle)
        self.parts = texts(lib.armature_function_part, handle)
        self.shapes: List[Tuple[int, ...]] = []
        for part in range(len(self.parts)):
            rows, columns = lib.armature_function_rows(handle, part), lib.armature_function_columns(handle, part)
            self.shapes.append((rows, columns) if columns else (rows,) if rows else ())
        self.shape = self.shapes[0] if len(self.shapes) == 1 else (self.width,)
        self._one = (self.dof,)
        self._count = ctypes.c_size_t(len(self.names))
        self._local = threading.local()

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.armature_function_free(handle)

    def _buffers(self) -> Any:
        """Memory of this thread in which one state is handed over."""
        inputs = np.zeros((len(self.names), self.dof))
        result = np.zeros(self.shape)
        rows = [inputs[i] for i in range(len(self.names))]
        pointers = (ctypes.c_void_p * len(rows))(*(row.ctypes.data for row in rows))
        self._local.buffers = rows, result, pointers, ctypes.c_void_p(result.ctypes.data), inputs
        return self._local.buffers

    def __call__(self, inputs: Tuple[Any, ...], out: Any = None) -> Any:
        if out is None:  # one state of plain arrays is what a control loop asks for: nothing in its way
            try:
                buffers = self._local.buffers
            except AttributeError:
                buffers = self._buffers()
            rows, result, pointers, address, _ = buffers
            one = self._one
            for row, x in zip(rows, inputs):
                if type(x) is _ARRAY and x.dtype is _DOUBLE and x.shape == one:
                    row[:] = x
                else:
                    return self.general(inputs, None)
            status = _state(self._handle, pointers, self._count, address)
            if status:
                raise last_error(status)
            return result.copy()
        return self.general(inputs, out)

    def general(self, inputs: Tuple[Any, ...], out: Any) -> Any:
        """Any shape, layout and kind of number."""
        arrays = [as_numbers(x, name) for x, name in zip(inputs, self.names)]
        states = common_states(arrays, self.names, self.dof, "state")
        shape = self.shape if states is None else (states, *self.shape)
        kind = np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64
        target = self._target(out, shape, kind, arrays)
        count = 1 if states is None else states
        flat = target.reshape(count, self.width)
        described = (Input * len(arrays))(*(input_of(a, count) for a in arrays))
        result = input_of(flat, max(count, 2))
        check(lib.armature_function_states(self._handle, count, described, len(arrays), ctypes.byref(result), 0))
        if out is not None and target is not out:
            out[...] = target
            return out
        return target

    @staticmethod
    def _target(out: Any, shape: Tuple[int, ...], kind: Any, arrays: Sequence[Any]) -> Any:
        """Where the results go: `out` itself where its layout allows that."""
        if out is None:
            return np.empty(shape, kind)
        _check_out(out, shape)
        if out.flags.c_contiguous and not any(np.may_share_memory(out, a) for a in arrays):
            return out
        return np.empty(shape, out.dtype)

    def split(self, numbers: Any) -> List[Any]:
        """The parts of a result, as views."""
        parts, begin = [], 0
        for shape in self.shapes:
            size = int(np.prod(shape, dtype=int))
            part = numbers[..., begin:begin + size]
            parts.append(part.reshape(numbers.shape[:-1] + shape)[()])  # a number alone is no array
            begin += size
        return parts


def filled(results: Any, out: Any) -> Any:
    """Results in a tuple; where `out` is one of such arrays, an earlier result perhaps, it takes them."""
    if out is None:
        return results
    if not isinstance(out, tuple) or len(out) != len(results):
        raise Error(f"out is {f'a tuple of {len(out)}' if isinstance(out, tuple) else type(out).__name__}",
                    f"a tuple of {len(results)} arrays is needed, such as an earlier result", "out")
    for array, part in zip(out, results):
        _check_out(array, part.shape)
    for array, part in zip(out, results):
        array[...] = part
    return out


def _check_out(out: Any, shape: Tuple[int, ...]) -> None:
    """Raises Error where results of this shape cannot be written."""
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float64, np.float32) or not out.dtype.isnative:
        raise Error(f"out is {'of type ' + str(out.dtype) if isinstance(out, np.ndarray) else type(out).__name__}",
                    "an array of float64 or float32 is needed", "out")
    if out.shape != shape:
        raise Error(f"out has the shape {out.shape}", f"the results have the shape {shape}", "out")
    if not out.flags.writeable:
        raise Error("out is read-only", "give an array that can be written to", "out")


class Bound:
    """A function bound to its arrays: a call reads them, computes, and writes the result into `out`, which it returns.

    The quickest way to compute one state again and again: nothing is checked or made in a call but the numbers themselves.
    """

    def __init__(self, function: Function, inputs: Tuple[Any, ...], out: Any) -> None:
        if out is None:
            out = np.zeros(function.shape)
        for array, name, shape in [*zip(inputs, function.names, [(function.dof,)] * len(inputs)), (out, "out", function.shape)]:
            if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.dtype.isnative:
                raise Error(f"{name} is no array of float64", "a bound call reads and writes arrays where they lie", name)
            if array.shape != shape:
                raise Error(f"{name} has the shape {array.shape}", f"the shape {shape} is needed", name)
            if not array.flags.c_contiguous:
                raise Error(f"the numbers of {name} do not lie one after the other", "give a contiguous array", name)
        if not out.flags.writeable:
            raise Error("out is read-only", "give an array that can be written to", "out")
        self.inputs, self.out = tuple(inputs), out
        self._function = function
        pointers = (ctypes.c_void_p * len(inputs))(*(x.ctypes.data for x in inputs))
        self._arguments = function._handle, pointers, function._count, ctypes.c_void_p(out.ctypes.data)

    def __call__(self) -> Any:
        status = _state(*self._arguments)
        if status:
            raise last_error(status)
        return self.out
