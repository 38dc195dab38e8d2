"""Every table of tests/bad_tables is refused with a place, a finding and a hint, and leaves nothing behind."""
from program import ROOT, ProgramTest, main

TABLES = ROOT / "tests" / "bad_tables"
COMPUTE = ("compute", "inverse-dynamics", "rrr")


class BadTables(ProgramTest):
    def test_each_is_refused_with_place_finding_and_hint(self):
        lines = (TABLES / "expected.txt").read_text().splitlines()
        expected = [line.split(" | ") for line in lines if not line.startswith("#")]
        self.assertEqual(sorted(name for name, *_ in expected),
                         sorted(path.name for path in TABLES.iterdir() if ".csv" in path.name))
        self.assertGreaterEqual(len(expected), 20)
        for name, place, words in expected:
            with self.subTest(name):
                where = f"{TABLES / name}{':' if place else ''}{place}: "
                answer = self.refused(2, *COMPUTE, "--in", TABLES / name, "--out", self.folder / "result.csv",
                                      says=[where, words, "\n  hint: "], timeout=10)
                self.assertEqual(answer.out, "")
                self.assertEqual(self.left_in_folder(), [])

    def test_standard_input_is_read_with_the_same_care(self):
        for name in ["word.csv", "binary.csv", "cut_off.csv", "empty.csv"]:
            with self.subTest(name):
                text = (TABLES / name).read_bytes().decode("latin-1")
                self.refused(2, *COMPUTE, "--in", "-", "--out", self.folder / "result.csv", text=text,
                             says="standard input")
                self.assertEqual(self.left_in_folder(), [])

    def test_a_line_without_end_is_refused(self):
        self.refused(2, *COMPUTE, "--in", "/dev/zero", says="/dev/zero:1", timeout=10)
        self.refused(2, *COMPUTE, "--in", "-", text="q1," * 2_000_000, says="the line is longer than", timeout=10)

    def test_what_is_no_file_is_refused(self):
        self.refused(2, *COMPUTE, "--in", self.folder, says=[str(self.folder), "is a folder"])
        self.refused(2, *COMPUTE, "--in", self.folder / "no.csv", says=["no.csv: cannot be read: No such file"])

    def test_a_table_given_as_an_arm_and_an_arm_given_as_a_table_are_refused(self):
        self.refused(2, "show", TABLES / "word.csv", says="hint:")
        self.refused(2, *COMPUTE, "--in", ROOT / "arms" / "rrr.yaml", says="missing")


main()
