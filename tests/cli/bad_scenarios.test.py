"""Every scenario of tests/bad_scenarios is refused with a place, a finding and a hint, and leaves nothing behind."""
from program import ROOT, ProgramTest, main

SCENARIOS = ROOT / "tests" / "bad_scenarios"


class BadScenarios(ProgramTest):
    def test_each_is_refused_with_place_finding_and_hint(self):
        lines = (SCENARIOS / "expected.txt").read_text().splitlines()
        expected = [line.split(" | ") for line in lines if not line.startswith("#")]
        self.assertEqual(sorted(name for name, *_ in expected),
                         sorted(path.name for path in SCENARIOS.iterdir() if path.suffix == ".yaml"))
        self.assertGreaterEqual(len(expected), 40)
        for name, place, words in expected:
            with self.subTest(name):
                answer = self.refused(2, "simulate", SCENARIOS / name, "-o", self.folder / "out",
                                      says=[f"{SCENARIOS / name}:{place}: ", words, "\n  hint: "], timeout=20)
                self.assertEqual(answer.out, "")
                self.assertEqual(self.left_in_folder(), [])


main()
