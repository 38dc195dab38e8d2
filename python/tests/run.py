#!/usr/bin/env python3
"""Runs the tests of the Python package; exit code 77 where numpy or pytest is missing."""
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} missing (apt install {' '.join('python3-' + name for name in missing)})")
        sys.exit(77)
    package = os.path.dirname(HERE)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    sys.path[:0] = [package, HERE]
    import pytest
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *(sys.argv[1:] or [HERE])]))
