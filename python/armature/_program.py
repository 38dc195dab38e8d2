"""The program `armature`, from the library: python3 -m armature VERB ..., and the command that pip installs.

As a script it is what the verbs of the package run in a process of their own; it imports nothing but the standard library.
"""
import ctypes
import json
import os
import signal
import sys
from typing import Any, Sequence


def run(library: Any, words: Sequence[str]) -> int:
    """The exit code of the program. A file descriptor in ARMATURE_ERROR gets the parts of its error as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has its own ways
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    typed = [os.fsencode(word) for word in ["armature", *words]]
    code: int = library.armature_main(len(typed), (ctypes.c_char_p * (len(typed) + 1))(*typed, None))
    descriptor = os.environ.get("ARMATURE_ERROR")
    if code != 0 and descriptor:
        parts = {}
        for part in ("place", "finding", "hint"):
            function = getattr(library, "armature_error_" + part)
            function.restype = ctypes.c_char_p
            parts[part] = function().decode("utf-8", "replace")
        with os.fdopen(int(descriptor), "w") as out:
            json.dump(parts, out)
    return code


def main() -> None:
    """The console script."""
    from ._library import library_path
    sys.exit(run(ctypes.CDLL(library_path()), sys.argv[1:]))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: nobody is left to read the answer
    sys.exit(run(ctypes.CDLL(sys.argv[1]), sys.argv[2:]))
