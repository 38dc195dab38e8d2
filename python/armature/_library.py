"""libarmature.so: found, loaded, its functions declared."""
from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_size_t, c_ssize_t, c_void_p
from pathlib import Path
from typing import Any, Iterable, List, Optional, Sequence, Tuple

__all__ = ["Error", "lib", "check", "settings_of", "texts"]


class Error(ValueError):
    """The input is wrong. Its text reads "place: finding", with a hint below where there is one.

    place: where it was found, e.g. "robot.urdf:12:3" or "state 7"; may be empty.
    finding: what was found there.
    hint: what helps; may be empty.
    """

    def __init__(self, finding: str, hint: str = "", place: str = "") -> None:
        text = (place + ": " if place else "") + finding + ("\n  hint: " + hint if hint else "")
        super().__init__(text)
        self.place, self.finding, self.hint = place, finding, hint

    def __reduce__(self) -> Tuple[Any, ...]:
        return Error, (self.finding, self.hint, self.place)


def library_path() -> str:
    """The library: the one that ARMATURE_LIBRARY names, the one in this package, one of the same installation, the system's."""
    named = os.environ.get("ARMATURE_LIBRARY")
    if named:
        return named
    here = Path(__file__).resolve().parent
    for folder in (here / "lib", here.parents[2], here.parents[3] / "lib64"):  # a wheel; PREFIX/lib/python3/dist-packages/armature
        for found in sorted(folder.glob("libarmature.so.0")) + sorted(folder.glob("*/libarmature.so.0")):
            return str(found)
    return "libarmature.so.0"


class Input(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("type", c_int32), ("state_step", c_ssize_t), ("number_step", c_ssize_t)]


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)

_TEXTS = POINTER(c_char_p)
_SETTINGS = [_TEXTS, c_size_t]
_FUNCTIONS = {
    "armature_version": (c_char_p, []),
    "armature_error": (c_char_p, []),
    "armature_error_place": (c_char_p, []),
    "armature_error_finding": (c_char_p, []),
    "armature_error_hint": (c_char_p, []),
    "armature_arm_load": (c_int, [c_char_p, *_SETTINGS, c_void_p]),
    "armature_arm_from_text": (c_int, [c_char_p, c_char_p, *_SETTINGS, c_void_p]),
    "armature_arm_replace": (c_int, [c_void_p, *_SETTINGS, c_void_p]),
    "armature_arm_free": (None, [c_void_p]),
    "armature_arm_built_in": (c_char_p, [c_size_t]),
    "armature_arm_save": (c_int, [c_void_p, c_char_p]),
    "armature_arm_name": (c_char_p, [c_void_p]),
    "armature_arm_dof": (c_size_t, [c_void_p]),
    "armature_arm_joint_name": (c_char_p, [c_void_p, c_size_t]),
    "armature_arm_link_name": (c_char_p, [c_void_p, c_size_t]),
    "armature_arm_warning": (c_char_p, [c_void_p, c_size_t]),
    "armature_arm_text": (c_char_p, [c_void_p]),
    "armature_arm_joint_slides": (c_int, [c_void_p, c_size_t]),
    "armature_arm_limits": (c_int, [c_void_p] * 6),
    "armature_arm_parameters": (c_int, [c_void_p, c_void_p]),
    "armature_arm_compile": (c_int, [c_void_p, c_char_p, *_SETTINGS, c_void_p]),
    "armature_arm_generated": (c_int, [c_void_p]),
    "armature_quantity": (c_char_p, [c_size_t]),
    "armature_quantity_about": (c_char_p, [c_size_t]),
    "armature_function_new": (c_int, [c_void_p, c_char_p, *_SETTINGS, c_void_p]),
    "armature_function_free": (None, [c_void_p]),
    "armature_function_inputs": (c_char_p, [c_void_p]),
    "armature_function_width": (c_size_t, [c_void_p]),
    "armature_function_part": (c_char_p, [c_void_p, c_size_t]),
    "armature_function_rows": (c_size_t, [c_void_p, c_size_t]),
    "armature_function_columns": (c_size_t, [c_void_p, c_size_t]),
    "armature_function_state": (c_int, None),  # the quick one: its arguments are ctypes objects already
    "armature_function_states": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_int]),
    "armature_device_function_new": (c_int, [c_void_p, c_char_p, *_SETTINGS, c_void_p]),
    "armature_device_function_free": (None, [c_void_p]),
    "armature_device_function_states": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    "armature_device_rollout_new": (c_int, [c_char_p, c_char_p, *_SETTINGS, *_SETTINGS, c_void_p]),
    "armature_device_rollout_free": (None, [c_void_p]),
    "armature_device_rollout_width": (c_size_t, [c_void_p, c_size_t]),
    "armature_device_rollout_result": (c_char_p, [c_void_p, c_size_t]),
    "armature_device_rollout_runs": (c_int, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "armature_inverse_kinematics": (c_int, [c_void_p, *_SETTINGS, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t,
                                            c_void_p, c_void_p, c_void_p]),
    "armature_result_json": (c_char_p, [c_void_p]),
    "armature_result_text": (c_char_p, [c_void_p]),
    "armature_result_name": (c_char_p, [c_void_p, c_size_t]),
    "armature_result_unit": (c_char_p, [c_void_p, c_size_t]),
    "armature_result_array": (c_void_p, [c_void_p, c_size_t]),
    "armature_result_size": (c_size_t, [c_void_p, c_size_t]),
    "armature_result_write_page": (c_int, [c_void_p, c_char_p]),
    "armature_result_free": (None, [c_void_p]),
    "armature_law_kind": (c_char_p, [c_size_t]),
    "armature_law_new": (c_int, [c_void_p, c_double, *_SETTINGS, c_void_p]),
    "armature_law_around": (c_int, [c_void_p, c_double, c_void_p, *_SETTINGS, c_void_p]),
    "armature_law_free": (None, [c_void_p]),
    "armature_law_reset": (c_int, [c_void_p, c_void_p]),
    "armature_law_update": (c_int, [c_void_p, c_void_p, c_void_p]),
    "armature_law_part": (c_char_p, [c_void_p, c_size_t]),
    "armature_law_part_unit": (c_char_p, [c_void_p, c_size_t]),
    "armature_law_part_value": (c_void_p, [c_void_p, c_size_t]),
    "armature_law_part_size": (c_size_t, [c_void_p, c_size_t]),
    "armature_law_condition": (c_char_p, [c_void_p, c_size_t]),
    "armature_simulate": (c_int, [c_char_p, c_char_p, *_SETTINGS, c_void_p, Progress, c_void_p, c_void_p]),
    "armature_compare": (c_int, [c_void_p, *_SETTINGS, c_void_p]),
    "armature_identify": (c_int, [c_void_p, *_SETTINGS, *_SETTINGS, Progress, c_void_p, c_void_p]),
    "armature_validate": (c_int, [c_void_p, *_SETTINGS, *_SETTINGS, c_void_p]),
    "armature_excite": (c_int, [c_void_p, *_SETTINGS, Progress, c_void_p, c_void_p]),
    "armature_command": (c_int, [_TEXTS, c_size_t, Progress, c_void_p, c_void_p]),
    "armature_derive": (c_int, [c_void_p, c_char_p, c_char_p, *_SETTINGS, c_void_p]),
}


def _load() -> ctypes.CDLL:
    path = library_path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"the library of Armature cannot be loaded: {error}\n  hint: install the package again, or name the library "
            "in the environment variable ARMATURE_LIBRARY") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path}: has no function {name}\n  hint: library and Python package are of different "
                              "versions; install both again") from None
        function.restype = result
        if arguments is not None:
            function.argtypes = arguments
    return library


lib = _load()


def text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def last_error(status: int) -> BaseException:
    """What the library said of its last failure on this thread."""
    finding, hint, place = (text(lib.armature_error_finding()), text(lib.armature_error_hint()),
                            text(lib.armature_error_place()))
    if status == 4:
        return MemoryError(finding)
    if status == 2:
        return Error(finding, hint, place)
    return RuntimeError(text(lib.armature_error()))


def check(status: int) -> None:
    """Raises what the library said, unless it said nothing."""
    if status != 0:
        raise last_error(status)


def c_text(value: Any) -> bytes:
    """A text or a path for the library."""
    encoded = os.fsencode(os.fspath(value)) if not isinstance(value, str) else value.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise Error("a text holds a zero byte", "take it out")
    return encoded


def settings_of(pairs: Iterable[Tuple[str, str]]) -> Tuple[Any, int]:
    """"key=value" texts as the library takes them."""
    items: List[bytes] = [c_text(key + "=" + value) for key, value in pairs]
    return (c_char_p * len(items))(*items), len(items)


def texts(function: Any, *handle: Any) -> List[str]:
    """All texts of a function that counts them from 0 and returns NULL behind the last."""
    found: List[str] = []
    while True:
        value = function(*handle, len(found))
        if value is None:
            return found
        found.append(text(value))


