"""What check_front_door.py takes for a name without a sentence, each on a small tree of its own."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_front_door

LIFTED = "\nnamespace armature {\nusing model::Arm;\nusing model::pose_of;\n}  // namespace armature\n"
ARM = "/// An arm is a serial chain of joints.\nclass Arm {\n};\n"
POSE = "/// Returns where the tool is in the world.\ntemplate <class S>\nPose<S> pose_of(const Arm& arm);\n"


def complaints(text, door='#include "armature/model/arm.hpp"\n'):
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "src/armature/model"
        room.mkdir(parents=True)
        (room / "arm.hpp").write_text(text + LIFTED, encoding="utf-8")
        (room.parent / "armature.hpp").write_text(door, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = check_front_door.main(Path(folder))
        return out.getvalue().splitlines() if status else []


class FrontDoor(unittest.TestCase):
    def test_sentences_pass(self):
        self.assertEqual(complaints(ARM + POSE), [])

    def test_a_name_without_a_comment_is_found(self):
        found = complaints("class Arm {\n};\n" + POSE)
        self.assertEqual(found, ["src/armature/model/arm.hpp: 'Arm' is not documented in a sentence"])

    def test_a_fragment_is_no_sentence(self):
        self.assertEqual(len(complaints(ARM + POSE.replace("Returns where the tool is in the world", "Of the tool"))), 1)
        self.assertEqual(len(complaints(ARM.replace("joints.", "joints") + POSE)), 1)

    def test_one_declaration_of_several_is_enough(self):
        self.assertEqual(complaints(ARM + POSE + "Pose<double> pose_of(const Arm& arm, int body);\n"), [])

    def test_a_door_that_leads_nowhere_is_found(self):
        self.assertEqual(complaints(ARM + POSE, door=""), ["src/armature/armature.hpp leads to no name in namespace armature"])


if __name__ == "__main__":
    unittest.main()
