"""What check_settings.py takes for settings that stand in two places, each on a small tree of its own."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_settings

LOOP = "struct LoopSettings {\n  double tick = 1e-3;  // [s]\n  int log_every = 5;\n  double tolerance = 1e-8;\n};\n"


def complaints(*texts):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "src").mkdir()
        for k, text in enumerate(texts):
            (Path(folder) / "src" / f"{k}.hpp").write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = check_settings.main(Path(folder))
        return out.getvalue().splitlines() if status else []


class Settings(unittest.TestCase):
    def test_a_copy_is_found_and_named(self):
        found = complaints(LOOP, LOOP.replace("LoopSettings", "RunSettings"))
        self.assertEqual(len(found), 1)
        self.assertIn("LoopSettings (src/0.hpp) and RunSettings (src/1.hpp) both say tick = 1e-3, log_every = 5, tolerance = 1e-8", found[0])

    def test_fields_of_one_name_with_other_defaults_are_no_copy(self):
        self.assertEqual(complaints(LOOP, LOOP.replace("LoopSettings", "RunSettings").replace("1e-8", "1e-6")), [])

    def test_defaults_that_say_nothing_do_not_count(self):
        empty = "struct ASettings {\n  bool on = false;\n  double delay = 0;\n  double gain = 1;\n};\n"
        self.assertEqual(complaints(empty, empty.replace("ASettings", "BSettings")), [])

    def test_containing_the_other_is_the_cure(self):
        self.assertEqual(complaints(LOOP, "struct RunSettings {\n  LoopSettings loop;\n};\n"), [])


if __name__ == "__main__":
    unittest.main()
