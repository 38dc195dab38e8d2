"""The Python package: python/armature, and the library that CMake builds. pyproject.toml says the rest.

The library comes from the folder that ARMATURE_BUILD names, from build/ where this project was built there, or else from a build
of its own. It is not tied to a version of Python, so one wheel serves all of them.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:  # setuptools from 70.1 on has its own
    from setuptools.command.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"project\(armature VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
# What every Linux has; anything else that the library needs travels with it.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so")


def built_library():
    """libarmature.so.0, built where it is not there or older than its sources."""
    build = Path(os.environ.get("ARMATURE_BUILD", ROOT / "build"))
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        build = ROOT / "build" / "python"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                               "-DARMATURE_TESTS=OFF"])
    subprocess.check_call(["cmake", "--build", str(build), "--target", "armature_shared", "--parallel"])
    return build / "libarmature.so.0"


def needed_libraries(library):
    """Those that the system may not have, by what the dynamic linker finds here."""
    listed = subprocess.check_output(["ldd", str(library)], text=True)
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M):
        if not OF_THE_SYSTEM.match(name):
            yield name, Path(path)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        folder = Path(self.build_lib) / "armature" / "lib"
        folder.mkdir(parents=True, exist_ok=True)
        library = built_library()
        for name, path in [("libarmature.so.0", library), *needed_libraries(library)]:
            target = folder / name
            if target.exists():
                target.unlink()
            shutil.copyfile(path, target)
            if shutil.which("strip"):
                subprocess.check_call(["strip", "--strip-unneeded", str(target)])


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=VERSION, packages=["armature"], package_dir={"": "python"}, package_data={"armature": ["py.typed"]},
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
