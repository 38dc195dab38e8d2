"""The Python package: python/armature, and the library that CMake builds. pyproject.toml says the rest.

The library comes from the folder that ARMATURE_BUILD names, from build/ where this project was built there, or else from a build
of its own. It is not tied to a version of Python, so one wheel serves all of them.
"""
import os
import re
import shutil
import subprocess
import zipfile
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
    """libarmature.so.0 as a wheel carries it, built where it is not there or older than its sources."""
    build = Path(os.environ.get("ARMATURE_BUILD", ROOT / "build"))
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        build = ROOT / "build" / "python"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                               "-DARMATURE_TESTS=OFF"])
    subprocess.check_call(["cmake", "--build", str(build), "--target", "armature_wheel", "--parallel"])
    return build / "wheel" / "libarmature.so.0"


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
            copy_copyright(path, folder)
            if shutil.which("strip"):
                subprocess.check_call(["strip", "--strip-unneeded", str(target)])
        for archive in (library.parent / "archives.txt").read_text().split():  # of which the library holds parts
            copy_copyright(Path(archive), folder)


def copy_copyright(path, folder):
    if copyright_of(path):
        shutil.copyfile(copyright_of(path), folder / (re.split(r"\.so|\.a$", path.name)[0] + ".copyright.txt"))


def copyright_of(path):
    """What the distribution says about whose work a library is, where it says so."""
    if not shutil.which("dpkg-query"):
        return None
    for name in (path, Path(os.path.realpath(path))):  # /lib is a link to /usr/lib
        found = subprocess.run(["dpkg-query", "--search", str(name)], capture_output=True, text=True)
        text = Path("/usr/share/doc") / found.stdout.split(":")[0] / "copyright"
        if found.returncode == 0 and text.exists():
            return text
    return None


def needed_glibc(folder):
    """The oldest glibc that has all that the libraries ask for."""
    listed = "".join(subprocess.check_output(["objdump", "-T", str(path)], text=True) for path in folder.glob("*.so.*"))
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_(\d+\.\d+)", listed))


class PlatformWheel(bdist_wheel):
    def run(self):
        super().run()
        for wheel in Path(self.dist_dir).glob("*.whl"):
            pack_tightly(wheel)

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        platform = super().get_tag()[2]
        folder = Path(self.get_finalized_command("build_py").build_lib) / "armature" / "lib"
        if platform.startswith("linux_") and shutil.which("objdump") and folder.exists():
            platform = "manylinux_{}_{}_".format(*needed_glibc(folder)) + platform[len("linux_"):]
        return "py3", "none", platform


def pack_tightly(wheel):
    """The same files, compressed as far as zlib goes."""
    tight = wheel.with_suffix(".tight")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(tight, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry), compresslevel=9)
    tight.replace(wheel)


setup(version=VERSION, packages=["armature"], package_dir={"": "python"}, package_data={"armature": ["py.typed"]},
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
