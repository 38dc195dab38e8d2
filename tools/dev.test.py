"""What ./dev does on machines that lack something: apt, dpkg, sudo and the browsers are played by small scripts."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True

APT = """#!/bin/sh
# apt-get that keeps its packages as files, and cannot install those named in broken
state={state}
[ "$1" = update ] && exit
for word; do last=$word; done
take=
for word; do case $word in -*|install|*::*) ;; *) take="$take $word" ;; esac; done
echo "$take" >> $state/calls
for package in $take; do
  if grep -qx "$package" $state/broken; then echo "E: Unable to correct problems, you have held broken packages." >&2; exit 100; fi
done
for package in $take; do
  : > $state/installed_$package
  case $package in
    nodejs) package=node ;;
    ninja-build) package=ninja ;;
    octave) package=octave-cli ;;
  esac
  printf '#!/bin/sh\\necho 1.0\\n' > $state/bin/$package && chmod +x $state/bin/$package
done
"""
DPKG_QUERY = """#!/bin/sh
for word; do last=$word; done
[ -e {state}/installed_$last ] && printf installed
"""


class Machine:
    """A folder that holds all the programs there are, and what apt would install."""

    def __init__(self, test, user=0):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.state = Path(folder.name)
        (self.state / "bin").mkdir()
        (self.state / "broken").touch()
        (self.state / "calls").touch()
        for name in ("sh", "bash", "env", "awk", "grep", "tail", "dirname", "readlink", "timeout", "true", "chmod", "cat"):
            (self.state / "bin" / name).symlink_to(shutil.which(name))
        self.program("apt-get", APT.replace("{state}", str(self.state)))
        self.program("dpkg-query", DPKG_QUERY.replace("{state}", str(self.state)))
        self.program("id", f"#!/bin/sh\necho {user}\n")
        # The project's own texts, without the folder web/node_modules that may lie in this tree.
        for name in ("tools/packages.sh", "tools/packages.txt", "web/browser.sh"):
            (self.state / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.state / name)
        browser = self.state / "web/browser.sh"
        for folder in ("/snap/bin", "/opt/google"):  # this machine may have one there
            browser.write_text(browser.read_text().replace(f" {folder}", f" {self.state}{folder}"))

    def program(self, name, text="#!/bin/sh\necho 1.0\n"):
        (self.state / "bin" / name).write_text(text)
        (self.state / "bin" / name).chmod(0o755)

    def broken(self, *packages):
        (self.state / "broken").write_text("\n".join(packages) + "\n")

    def run(self, *command, **environment):
        done = subprocess.run([str(self.state / command[0]), *command[1:]], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"PATH": str(self.state / "bin"), "HOME": str(self.state), **environment})
        return done.returncode, done.stdout, done.stderr

    def packages(self, *words):
        return self.run("tools/packages.sh", *words)

    def asked(self):
        return set((self.state / "calls").read_text().split())

    def installed(self):
        return {path.name.removeprefix("installed_") for path in self.state.glob("installed_*")}


def names(*sections):
    """The packages of sections, read apart from packages.sh."""
    parts = re.split(r"^\[(\w+)\].*$", (ROOT / "tools/packages.txt").read_text(), flags=re.M)
    texts = dict(zip(parts[1::2], parts[2::2]))
    return {line.split()[0] for section in sections for line in texts[section].splitlines() if line.strip()}


class Packages(unittest.TestCase):
    def test_a_bare_machine_gets_all_of_them_at_once(self):
        machine = Machine(self)
        self.assertEqual(machine.packages("build", "--", "web")[0], 0)
        self.assertEqual(machine.installed(), names("build", "web"))
        self.assertEqual(len((machine.state / "calls").read_text().splitlines()), 1)

    def test_what_is_there_is_not_asked_for_again(self):
        machine = Machine(self)
        machine.packages("build", "--", "web")
        (machine.state / "calls").write_text("")
        self.assertEqual(machine.packages("build", "--", "web"), (0, "", ""))
        self.assertEqual(machine.asked(), set())

    def test_node_from_elsewhere_without_a_browser_leaves_npm_of_apt_alone(self):
        machine = Machine(self)
        machine.program("node"), machine.program("npm")
        machine.broken("npm", "nodejs")
        self.assertEqual(machine.packages("build", "--", "web")[0], 0)
        self.assertEqual(machine.installed(), names("build", "web") - {"nodejs", "npm"})

    def test_a_package_that_cannot_be_had_stops_no_other_and_is_named_with_the_reason(self):
        machine = Machine(self)
        machine.broken("npm", "libdart-dev")
        code, _, said = machine.packages("build", "--", "oracles", "web")
        self.assertEqual(code, 0)
        self.assertEqual(machine.installed(), names("build", "oracles", "web") - {"npm", "libdart-dev"})
        self.assertIn("npm cannot be installed: E: Unable to correct problems, you have held broken packages.", said)
        self.assertIn("libdart-dev cannot be installed", said)

    def test_a_needed_package_that_cannot_be_had_ends_with_a_sentence(self):
        machine = Machine(self)
        machine.broken("libfmt-dev")
        code, _, said = machine.packages("build")
        self.assertEqual(code, 2)
        self.assertIn("libfmt-dev cannot be installed: E: Unable", said)
        self.assertIn("\n    apt-get update && apt-get install -y --no-install-recommends libfmt-dev\n", said)

    def test_neither_root_nor_sudo_is_a_sentence_with_the_line_to_run(self):
        machine = Machine(self, user=1000)
        code, _, said = machine.packages("build", "--", "web")
        self.assertEqual((code, machine.asked()), (2, set()))
        lines = [set(line.split("--no-install-recommends ")[1].split()) for line in said.splitlines() if line.startswith("    apt-get update && ")]
        self.assertEqual(lines, [names("web"), names("build")])

    def test_without_root_what_only_tests_need_stops_nothing(self):
        machine = Machine(self, user=1000)
        for package in names("build"):
            (machine.state / f"installed_{package}").touch()
        for program in ("cmake", "ninja", "ccache"):
            machine.program(program)
        code, _, said = machine.packages("build", "--", "web")
        self.assertEqual(code, 0)
        self.assertIn(" nodejs npm chromium: only some tests need these", said)

    def test_sudo_is_used_where_it_is(self):
        machine = Machine(self, user=1000)
        machine.program("sudo", '#!/bin/sh\nexec "$@"\n')
        self.assertEqual(machine.packages("build")[0], 0)
        self.assertEqual(machine.installed(), names("build"))

    def test_sudo_that_refuses_is_a_sentence_too(self):
        machine = Machine(self, user=1000)
        machine.program("sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
        code, _, said = machine.packages("build")
        self.assertEqual(code, 2)
        self.assertEqual(machine.asked(), set())
        self.assertIn("neither root nor sudo", said)
        self.assertIn("apt-get install -y --no-install-recommends g++ ", said)


class Browser(unittest.TestCase):
    def test_each_name_is_found(self):
        for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
            machine = Machine(self)
            self.assertEqual(machine.run("web/browser.sh")[0], 1)
            machine.program(name)
            self.assertEqual(machine.run("web/browser.sh")[:2], (0, f"{machine.state}/bin/{name}\n"))

    def test_a_snap_is_found(self):
        machine = Machine(self)
        (machine.state / "snap/bin").mkdir(parents=True)
        (machine.state / "snap/bin/chromium").symlink_to(shutil.which("true"))
        self.assertEqual(machine.run("web/browser.sh")[:2], (0, f"{machine.state}/snap/bin/chromium\n"))

    def test_playwrights_own_is_found(self):
        machine = Machine(self)
        path = machine.state / ".cache/ms-playwright/chromium-1194/chrome-linux"
        path.mkdir(parents=True)
        (path / "chrome").symlink_to(shutil.which("true"))
        self.assertEqual(machine.run("web/browser.sh")[:2], (0, f"{path}/chrome\n"))

    def test_a_stub_that_only_says_how_to_get_one_is_none(self):
        machine = Machine(self)
        machine.program("chromium-browser", "#!/bin/sh\necho 'requires the chromium snap to be installed' >&2\nexit 1\n")
        self.assertEqual(machine.run("web/browser.sh")[:2], (1, ""))
        machine.program("google-chrome")
        self.assertEqual(machine.run("web/browser.sh")[:2], (0, f"{machine.state}/bin/google-chrome\n"))

    def test_the_environment_decides(self):
        machine = Machine(self)
        machine.program("chromium"), machine.program("mine")
        for variable in ("CHROME", "CHROME_PATH"):
            self.assertEqual(machine.run("web/browser.sh", **{variable: f"{machine.state}/bin/mine"})[1], f"{machine.state}/bin/mine\n")
            code, out, said = machine.run("web/browser.sh", **{variable: "/nowhere"})
            self.assertEqual((code, out), (1, ""))
            self.assertIn("'/nowhere', which is not a browser that runs", said)


class Version(unittest.TestCase):
    def test_the_texts_that_name_the_version_name_that_of_the_project(self):
        version = re.search(r"^project\(armature VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        self.assertEqual(re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1], version)
        self.assertEqual(re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1], version)


@unittest.skipUnless(shutil.which("ctest"), "no ctest")
class Count(unittest.TestCase):
    """tools/count_tests.py on what ctest really writes."""

    def counted(self, tests):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CTestTestfile.cmake").write_text(tests)
            ran = subprocess.run(["ctest", "--test-dir", folder, "--output-junit", "tests.xml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            done = subprocess.run([sys.executable, str(ROOT / "tools/count_tests.py"), f"{folder}/tests.xml"], text=True, stdout=subprocess.PIPE)
            return ran.returncode, done.returncode, done.stdout.splitlines()

    SKIPPED = 'add_test(web sh -c "echo SKIP: no node here; exit 77")\nset_tests_properties(web PROPERTIES SKIP_RETURN_CODE 77)\n'

    def test_skipped_tests_are_named_with_the_reason_and_the_count_is_the_last_line(self):
        _, code, lines = self.counted('add_test(good true)\nadd_test(partly sh -c "echo a.cpp:3: MESSAGE: skipped: no Octave")\n' + self.SKIPPED)
        self.assertEqual((code, lines), (0, ["skipped  web: no node here", "skipped in part  partly: no Octave", "2 passed, 0 failed, 1 skipped"]))

    def test_failed_and_unstartable_tests_and_those_behind_them_are_failures(self):
        ran, code, lines = self.counted('add_test(good true)\nadd_test(bad false)\nadd_test(lost /nowhere/program)\nadd_test(after true)\n'
                                        'set_tests_properties(bad PROPERTIES FIXTURES_SETUP f)\nset_tests_properties(after PROPERTIES FIXTURES_REQUIRED f)\n' + self.SKIPPED)
        self.assertNotEqual(ran, 0)
        self.assertEqual((code, lines[-1]), (1, "1 passed, 3 failed, 1 skipped"))

    def test_nothing_ran_is_not_success(self):
        self.assertEqual(self.counted(self.SKIPPED)[1:], (1, ["skipped  web: no node here", "0 passed, 0 failed, 1 skipped"]))


if __name__ == "__main__":
    unittest.main()
