"""The program `armature`, from the library: python3 -m armature VERB ..., and the command that pip installs."""
import ctypes
import os
import signal
import sys


def main() -> None:
    """The console script."""
    from ._library import library_path
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has its own ways
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    typed = [os.fsencode(word) for word in ["armature", *sys.argv[1:]]]
    sys.exit(ctypes.CDLL(library_path()).armature_main(len(typed), (ctypes.c_char_p * (len(typed) + 1))(*typed, None)))
