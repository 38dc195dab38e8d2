"""What check_definitions.py takes for two definitions of one name and what it does not, each on a small tree of its own."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_definitions


def complaints(files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = check_definitions.main(root)
        lines = out.getvalue().splitlines()
        assert (status == 0) == lines[0].startswith("definitions: "), (status, lines)
        return [] if status == 0 else lines


def twice(one, other):
    """The name that two files with these texts in namespace armature define both, or None."""
    found = complaints({"src/a.hpp": f"namespace armature {{\n{one}\n}}\n", "apps/b.cpp": f"namespace armature {{\n{other}\n}}\n"})
    return found[0].split(" is defined in ")[0].removeprefix("armature::") if found else None


class Types(unittest.TestCase):
    def test_a_type_in_two_files_is_named_with_its_places(self):
        self.assertEqual(complaints({"src/armature/plant/plant.hpp": "namespace armature {\n\nstruct Quantity {\n  int a;\n};\n}\n",
                                     "apps/armature/quantities.hpp": "namespace armature { struct Quantity { double b; }; }\n"}),
                         ["armature::Quantity is defined in src/armature/plant/plant.hpp:3 and in apps/armature/quantities.hpp:1"])

    def test_whatever_kind_of_type_it_is(self):
        for other in ("class A final : public B {};", "template <class T>\nclass A {};", "enum class A : int { x };", "union A { int i; };",
                      "template <Scalar S, class T = std::vector<S>>\n  requires Good<T>\nstruct A : B<T> {};",
                      "struct alignas(16) A {};", "struct [[nodiscard]] A {};", "enum A { x };"):
            self.assertEqual(twice("struct A {};", other), "A", other)

    def test_sources_and_tests_of_one_program_count_like_headers(self):
        text = "struct Case { int a; };\n"
        self.assertEqual(len(complaints({"src/armature/core/a.test.cpp": text, "src/armature/core/b.test.cpp": text})), 1)

    def test_a_type_defined_outside_its_class(self):
        self.assertEqual(twice("struct A::Inner {};", "struct A::Inner { int a; };"), "A::Inner")
        self.assertIsNone(twice("struct A::Inner {};", "struct B::Inner {};"))

    def test_specialisations_differ_by_their_arguments(self):
        self.assertIsNone(twice("template <> struct A<int> {};", "template <> struct A<double> {};"))
        self.assertEqual(twice("template <> struct A<int> {};", "template <> struct A< int > {};"), "A<int>")

    def test_names_in_other_namespaces_classes_and_functions_are_others(self):
        for other in ("struct A;", "class B { struct A { int a; }; };", "namespace inner { struct A {}; }", "int f() { struct A {}; return 0; }",
                      "namespace { struct A {}; }", "namespace inner {\nnamespace {\nstruct A {};\n}\n}", "struct A f(int i) { return {}; }",
                      "// struct A {\n", "/* struct A { */", 'const char* s = "struct A {";', 'const char* s = R"x(struct A {)x";',
                      "#define BODY struct A {", "constexpr char brace = '{'; ", "constexpr int million = 1'000'000;"):
            self.assertIsNone(twice("struct A {};", other), other)

    def test_what_came_before_does_not_hide_a_type(self):
        for before in ("namespace { struct B {}; }", "constexpr char c = '{';", "constexpr int n = 1'000'000;", 'extern "C" {\nvoid f();\n}', "void f(B b = {});",
                       "template <class S>\nvoid f(S s) {\n  if (s) { s(); }\n}", "#if 0\n#define X {\n#endif", "const auto f = [](int i) { return i; };"):
            self.assertEqual(twice("struct A {};", before + "\nstruct A { int a; };"), "A", before)


class Functions(unittest.TestCase):
    def test_an_inline_function_or_a_template_in_two_files(self):
        self.assertEqual(twice("inline double f(double x, B b = {}) { return x; }", "inline double f(double angle, B) { return 2 * angle; }"),
                         "f(double,B)")
        self.assertEqual(twice("template <Scalar S>\nS f(const Vec3<S>& v) { return v[0]; }", "template <Scalar T>\nT f(const Vec3<T>& w) { return w[1]; }"),
                         "f(const Vec3<$0>&)of<Scalar>")
        self.assertEqual(twice("constexpr A operator*(A a, A b) { return a; }", "inline A operator*(A x, A y) { return y; }"), "operator*(A,A)")

    def test_overloads_declarations_and_strong_functions_are_left_alone(self):
        inline = "inline double f(double x) { return x; }"
        for other in ("inline double f(float x) { return x; }", "double f(double x) { return x; }", "static inline double f(double x) { return x; }",
                      "inline double f(double x);", "inline double f(double x, int i) { return x; }", "template <class T> double f(double x) { return x; }",
                      "namespace { inline double f(double x) { return 0; } }"):
            self.assertIsNone(twice(inline, other), other)

    def test_a_declaration_with_a_default_in_braces_is_no_definition(self):
        self.assertIsNone(twice("template <Scalar S>\nS f(const Vec3<S>& v, const B& b = {});", "template <Scalar S>\nS f(const Vec3<S>& v, const B& b) { return 0; }"))

    def test_an_inline_variable_in_two_files(self):
        self.assertEqual(twice("inline constexpr double pi = 3.14;", "inline const double pi{3.1};"), "pi")
        self.assertIsNone(twice("constexpr double pi = 3.14;", "constexpr double pi = 3.1;"))  # each file has its own


if __name__ == "__main__":
    unittest.main()
