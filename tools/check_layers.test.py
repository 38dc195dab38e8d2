"""What check_layers.py lets pass and what it stops, each on a small tree of its own."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_layers

ROOMS = """project(x)
armature_room(core    SEES                  LINKS fmt::fmt)
armature_room(model   SEES core             LINKS Eigen3::Eigen)
armature_room(plant   SEES core model)
armature_room(control SEES core model       LINKS PRIVATE yaml-cpp)
armature_room(testing SEES core model plant control TESTS_ONLY)
"""


def complaints(files, rooms=ROOMS):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {"CMakeLists.txt": rooms, **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = check_layers.main(root)
        lines = out.getvalue().splitlines()
        assert (status == 0) == lines[0].startswith("layers: "), (status, lines)
        return [] if status == 0 else lines


class Layers(unittest.TestCase):
    def test_a_room_sees_itself_and_what_its_line_lists(self):
        self.assertEqual(complaints({
            "src/armature/control/pd.cpp": '#include "armature/control/pd.hpp"\n#include "armature/model/arm.hpp"\n'
                                           '#include <vector>\n'}), [])

    def test_a_forbidden_include_is_named_with_its_place(self):
        self.assertEqual(complaints({
            "src/armature/control/computed_torque.hpp": '#pragma once\n#include "armature/plant/rigid_arm.hpp"\n'}),
            ["src/armature/control/computed_torque.hpp:2: control may not see plant"])

    def test_angle_brackets_and_odd_spacing_do_not_hide_an_include(self):
        self.assertEqual(complaints({"src/armature/core/a.cpp": " #  include <armature/model/arm.hpp>\n"}),
                         ["src/armature/core/a.cpp:1: core may not see model"])

    def test_what_is_internal_stays_in_its_room_and_out_of_installed_headers(self):
        text = '#include "armature/model/internal/chain.hpp"\n'
        self.assertEqual(complaints({"src/armature/model/arm.cpp": text, "src/armature/model/internal/b.hpp": text}), [])
        self.assertEqual(complaints({"src/armature/plant/a.cpp": text, "apps/armature/main.cpp": text}),
                         ["src/armature/plant/a.cpp:1: armature/model/internal/chain.hpp is seen in model alone",
                          "apps/armature/main.cpp:1: armature/model/internal/chain.hpp is seen in model alone"])
        self.assertEqual(complaints({"src/armature/model/arm.hpp": text}),
                         ["src/armature/model/arm.hpp:1: this header is installed, armature/model/internal/chain.hpp is not"])
        text = '#include "armature/model/frames/internal/dh.hpp"\n'
        self.assertEqual(complaints({"src/armature/model/frames/internal/b.hpp": text, "src/armature/model/arm.cpp": text}), [])
        self.assertEqual(complaints({"src/armature/model/frames/a.hpp": text, "src/armature/plant/a.cpp": text}),
                         ["src/armature/model/frames/a.hpp:1: this header is installed, armature/model/frames/internal/dh.hpp is not",
                          "src/armature/plant/a.cpp:1: armature/model/frames/internal/dh.hpp is seen in model alone"])

    def test_a_room_names_things_in_its_own_namespace(self):
        self.assertEqual(complaints({"src/armature/model/arm.hpp": "namespace armature::model {\nclass Arm;\n}\n\n"
                                                                   "namespace armature {\nusing model::Arm;\n}  // namespace armature\n",
                                     "src/armature/model/b.cpp": "namespace armature::model::detail {\n}\n"}), [])
        self.assertEqual(complaints({"src/armature/model/arm.hpp": "namespace armature {\nclass Arm;\n}\n",
                                     "src/armature/plant/a.hpp": "namespace armature::model {\n}\n"}),
                         ["src/armature/model/arm.hpp: namespace armature, in the room model",
                          "src/armature/plant/a.hpp: namespace armature::model, in the room plant"])

    def test_sight_is_not_inherited(self):
        rooms = ROOMS.replace("plant   SEES core model", "plant   SEES model")
        self.assertEqual(complaints({"src/armature/plant/a.hpp": '#include "armature/core/error.hpp"\n'}, rooms),
                         ["src/armature/plant/a.hpp:1: plant may not see core"])

    def test_only_tests_see_the_room_for_tests(self):
        text = '#include "armature/testing/catalogue.hpp"\n'
        self.assertEqual(complaints({"src/armature/core/a.test.cpp": text, "src/armature/testing/b.cpp": text,
                                     "bench/bench.cpp": text}), [])
        self.assertEqual(complaints({"src/armature/core/a.cpp": text, "apps/armature/main.cpp": text}),
                         ["src/armature/core/a.cpp:1: core may not see testing",
                          "apps/armature/main.cpp:1: apps may not see testing"])

    def test_an_include_without_its_room_is_refused(self):
        self.assertEqual(complaints({"src/armature/control/a.cpp": '#include "../plant/rigid_arm.hpp"\n'}),
                         ['src/armature/control/a.cpp:1: write #include "armature/<room>/<file>", '
                          'not "../plant/rigid_arm.hpp"'])

    def test_a_folder_without_a_room_line_is_refused(self):
        self.assertEqual(complaints({"src/armature/cellar/a.cpp": "int a;\n"}),
                         ["src/armature/cellar: no armature_room(cellar ...) line in CMakeLists.txt"])

    def test_rooms_stand_on_rooms_declared_above_them(self):
        self.assertEqual(complaints({}, "armature_room(core SEES model)\narmature_room(model SEES core LINKS x::x)\n"),
                         ["CMakeLists.txt:1: core sees model, which is no room declared above it"])

    def test_a_list_without_rooms_is_not_taken_for_agreement(self):
        self.assertEqual(complaints({}, "project(x)\n"), ["CMakeLists.txt:1: no armature_room(...) line found"])


class Citations(unittest.TestCase):
    BOOK = "@book{Author2008,\n  title = {A Book}\n}\n"

    def test_a_citation_finds_its_reference(self):
        self.assertEqual(complaints({"docs/references.bib": self.BOOK,
                                     "src/armature/core/a.hpp": "// [Author2008] and [Author2008, Table 5.1]\n"}), [])

    def test_a_citation_without_reference_is_named_with_its_place(self):
        self.assertEqual(complaints({"docs/references.bib": self.BOOK,
                                     "src/armature/core/a.hpp": "\n// as in [Author2008; Nobody1999, (3)]\n"}),
                         ["src/armature/core/a.hpp:2: [Nobody1999] is not in docs/references.bib"])

    def test_a_reference_stands_there_once(self):
        self.assertEqual(complaints({"docs/references.bib": self.BOOK * 2}),
                         ["docs/references.bib: Author2008 stands there more than once"])


if __name__ == "__main__":
    unittest.main()
