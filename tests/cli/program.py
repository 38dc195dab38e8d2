"""Runs the built program and looks at what it answers."""
import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("ARMATURE_PROGRAM", str(ROOT / "build" / "armature"))
LONG = os.environ.get("ARMATURE_LONG_TESTS") == "1"  # as many draws as it takes to be sure: ./dev long


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        def refuse(word):
            raise ValueError(f"{word} is not JSON")
        return json.loads(self.out, parse_constant=refuse)

    @property
    def table(self):
        """Column name -> list of numbers."""
        header, *rows = self.out.splitlines()
        columns = zip(*([float(cell) for cell in row.split(",")] for row in rows))
        return dict(zip(header.split(","), map(list, columns)))


def run(*arguments, text=None, cwd=None, env=None, timeout=60, limit_file_size=None):
    def limit():
        if limit_file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_file_size, limit_file_size))
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, errors="replace", cwd=cwd,
                          env={**os.environ, "NO_COLOR": "1", **(env or {})}, timeout=timeout, preexec_fn=limit)
    return Answer(done.returncode, done.stdout, done.stderr)


def on_a_terminal(*arguments):
    """All that the program writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", LANG="C.UTF-8", LC_ALL="C.UTF-8", NO_COLOR="1")
        os.execv(PROGRAM, [PROGRAM, *map(str, arguments)])
    seen = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the program has closed its end
            break
        if not part:
            break
        seen += part
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode("utf-8", "surrogateescape")


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def left_in_folder(self):
        return sorted(path.name for path in self.folder.iterdir())

    def done(self, *arguments, **more):
        answer = run(*arguments, **more)
        self.assertEqual(answer.code, 0, answer.err)
        return answer

    def refused(self, code, *arguments, says=(), **more):
        """The program ends with `code` and a message with these words; nothing on the output, no crash."""
        answer = run(*arguments, **more)
        self.assertEqual(answer.code, code, answer.err + answer.out)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, answer.err)
        self.assertTrue(answer.err.startswith(("error: ", "warning: ")), answer.err)
        return answer

    def assertClose(self, a, b, tolerance=1e-12):
        """|a - b| <= tolerance max(1, |b|), as ARCHITECTURE.md defines relative error."""
        a, b = list(flat(a)), list(flat(b))
        self.assertEqual(len(a), len(b))
        scale = max([1.0, *map(abs, b)])
        worst = max(abs(x - y) for x, y in zip(a, b))
        self.assertLessEqual(worst, tolerance * scale)


def flat(numbers):
    for number in numbers:
        if isinstance(number, (list, tuple)):
            yield from flat(number)
        else:
            yield number


def comma(numbers):
    return ",".join(repr(number) for number in numbers)


def main():
    unittest.main(module="__main__")
