"""Every bad arm file (tests/bad) is wrong input to the program: exit 2, a place in the file, a hint, nothing written."""
from program import ROOT, ProgramTest, main

ARMS = ROOT / "tests" / "bad"


class BadArms(ProgramTest):
    def test_each_is_refused_and_nothing_is_written(self):
        files = sorted(path for path in ARMS.iterdir() if path.suffix in (".yaml", ".urdf") and path.stem != "sound")
        self.assertGreaterEqual(len(files), 60)
        for path in files:
            with self.subTest(path.name):
                answer = self.refused(2, "export", path, "-o", self.folder / "copy.yaml", says=[str(path), "hint: "], timeout=20)
                self.assertEqual(answer.out, "")
                self.assertEqual(self.left_in_folder(), [])

    def test_the_arms_they_were_made_from_are_sound(self):
        for name in ["sound.yaml", "sound.urdf"]:
            self.done("show", ARMS / name)
            self.done("export", ARMS / name, "-o", self.folder / "copy.yaml")
            self.done("show", self.folder / "copy.yaml")


main()
