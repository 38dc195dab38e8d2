"""Springs in arm files: a known torque that acts wherever gravity does."""
import math
import re

from program import ROOT, ProgramTest, comma, main

PAGE = (ROOT / "docs" / "identify.md").read_text()
FILES = {match[1]: match[0].split("\n", 2)[2].rsplit("\n", 1)[0] + "\n"
         for match in re.finditer(r"^```yaml\n# file: (\S+)\n.*?^```$", PAGE, re.S | re.M)}
SPRING = re.search(r"    spring:\n(      .*\n)+", FILES["balanced.yaml"])[0]
Q, V, A = [0.3, -0.7], [0.4, 1.1], [-2.0, 3.0]


def by_hand(q):
    """What it takes to hold the shoulder of docs/identify.md against its spring."""
    angle = q + math.radians(60)
    length = math.sqrt(0.5**2 + 0.1**2 - 2 * 0.5 * 0.1 * math.cos(angle))
    return 9000 * (length - 0.4) * 0.5 * 0.1 * math.sin(angle) / length


class Springs(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            (self.folder / name).write_text(text)
        self.arm = self.folder / "balanced.yaml"
        self.bare = self.write("bare.yaml", "")

    def write(self, name, spring):
        path = self.folder / name
        path.write_text(FILES["balanced.yaml"].replace(SPRING, spring))
        return path

    def numbers(self, quantity, arm, *more):
        return self.done("compute", quantity, arm, "--q", comma(Q), *more, "--json").json["result"]

    def torques(self, arm, *more):
        return self.numbers("inverse-dynamics", arm, "--v", comma(V), "--a", comma(A), *more)["tau"]

    def test_every_quantity_has_it(self):
        more = by_hand(Q[0])
        self.assertGreater(abs(more), 20)
        for options in ((), ("--with", "friction"), ("--method", "lagrange")):
            with_spring, without = self.torques(self.arm, *options), self.torques(self.bare, *options)
            self.assertClose([a - b for a, b in zip(with_spring, without)], [more, 0], 1e-10)
        gravity = [self.numbers("gravity", arm)["g"] for arm in (self.arm, self.bare)]
        self.assertClose([a - b for a, b in zip(*gravity)], [more, 0], 1e-10)
        tau = self.torques(self.arm)
        back = self.numbers("forward-dynamics", self.arm, "--v", comma(V), "--tau", comma(tau))["a"]
        self.assertClose(back, A, 1e-9)
        # the energy of a turn of the shoulder is the work against the spring
        def stored(arm, q):
            return self.done("compute", "energy", arm, "--q", comma([q, 0.2]), "--v", "0,0", "--json").json["result"]["potential"]
        steps = 2000
        work = sum(by_hand((k + 0.5) / steps) for k in range(steps)) / steps
        gained = (stored(self.arm, 1) - stored(self.arm, 0)) - (stored(self.bare, 1) - stored(self.bare, 0))
        self.assertAlmostEqual(gained / work, 1, delta=1e-6)

    def test_a_free_swing_keeps_its_energy_and_a_law_that_knows_gravity_holds(self):
        frictionless = re.sub(r"    friction: .*\n", "", FILES["balanced.yaml"])
        (self.folder / "free.yaml").write_text(frictionless)
        swing = self.folder / "swing.yaml"
        swing.write_text("scenario: swing\nquestion: Does a spring give back what it took?\nrobot: free.yaml\n"
                         "start: {q: [20 deg, 30 deg]}\ncontroller: {kind: open_loop}\nrun: {duration: 2 s, tick: 1 ms}\n")
        answer = self.done("simulate", swing, "--json").json
        self.assertLess(answer["energy"]["largest_error"], 1e-5)
        held = self.folder / "held.yaml"
        held.write_text(swing.read_text().replace("kind: open_loop", "kind: gravity"))
        self.done("simulate", held, "-o", self.folder / "held")
        rows = [line.split(",") for line in (self.folder / "held" / "log.csv").read_text().splitlines() if not line.startswith("#")]
        names = [name.split(" [")[0] for name in rows[0]]
        for k in range(2):
            first, last = (float(rows[r][names.index(f"q{k + 1}")]) for r in (1, -1))
            self.assertAlmostEqual(first, last, delta=1e-9)

    def test_identify_takes_it_off_and_says_so(self):
        here = {"cwd": self.folder}
        self.done("simulate", "balanced_shaken.yaml", "-o", "out", **here)
        log = ["out/log.csv", "--map", "columns.yaml"]
        said = self.done("identify", "balanced.yaml", *log, "--to", "6s", "-o", "found.yaml", timeout=200, **here)
        self.assertIn("the spring of joint shoulder", said.out)
        found = self.done("validate", "found.yaml", *log, "--from", "6s", "--json", **here).json["relative_error_all_rows"]
        self.assertLess(found, 0.01)
        self.assertIn("torque = 9000*(L - 0.4)", (self.folder / "found.yaml").read_text())
        bare = self.done("validate", "bare.yaml", *log, "--from", "6s", "--json", **here)
        self.assertGreater(bare.json["relative_error_all_rows"], 0.2)  # the same bodies without it

    def test_files_keep_it_or_say_that_they_cannot(self):
        again, urdf, mjcf = (self.folder / name for name in ("again.yaml", "arm.urdf", "arm.xml"))
        self.done("export", self.arm, "-o", again)
        self.assertClose(self.torques(again), self.torques(self.arm), 0)
        answer = self.done("export", self.arm, "-o", urdf)
        self.assertIn("spring of joint shoulder", answer.out + answer.err + urdf.read_text())
        answer = self.done("export", self.arm, "-o", mjcf)
        self.assertIn("springs that are not linear", answer.out + answer.err + mjcf.read_text())
        linear = self.write("linear.yaml", "    spring: {stiffness: 50 N*m/rad, rest: 10 deg}\n")
        self.done("export", linear, "-o", mjcf)
        self.assertRegex(mjcf.read_text(), r'stiffness="50(\.0)?" springref="0\.1745')
        self.assertIn("Springs", self.done("show", linear).out)
        self.assertIn("50 N m/rad", self.done("show", linear).out)
        self.done("check", self.arm)

    def test_what_is_no_spring_is_refused_in_its_place(self):
        for spring, words in (("{}", "neither stiffness nor torque nor table"),
                              ("{stiffness: 3, torque: q}", "more than one of stiffness, torque, table and sine"),
                              ("{torque: 2*q2}", "'q2' means nothing here"),
                              ("{torque: 1/q}", "is not finite at q = 0"),
                              ("{torque: sqrt(q)}", "is not finite"),
                              ("{torque: \"" + "(" * 200 + "q" + ")" * 200 + "\"}", "nested more than"),
                              ("{torque: q^q}", "an exponent depends on q"),
                              ("{torque: \"" + "q+" * 9000 + "q\"}", "bytes"),
                              ("{stiffness: .inf}", "finite"),
                              ("{stiffness: 3 N}", "stiffness"),
                              ("{positions: [0, 1], torques: [0]}", "2 positions and 1 torques"),
                              ("{positions: [1, 0], torques: [0, 1]}", "not beyond the one before"),
                              ("{rest: 1}", "neither stiffness nor torque nor table")):
            path = self.write("bad.yaml", f"    spring: {spring}\n")
            self.refused(2, "compute", "gravity", path, "--q", "0,0", says=[words])

    def test_derive_writes_it_or_says_why_not(self):
        out = self.folder / "out.hpp"
        self.done("derive", self.arm, "--what", "inverse-dynamics,gravity", "-o", out, timeout=200)
        self.assertIn("sqrt", out.read_text())
        table = self.write("table.yaml", "    spring: {positions: [-1, 0, 1], torques: [-2, 0, 5]}\n")
        self.refused(2, "derive", table, "--what", "gravity", "-o", out, says="no closed form", timeout=200)
        self.done("derive", table, "--what", "jacobian", "-o", out, timeout=200)
        self.refused(2, "derive", self.arm, "--symbolic", says="joint 'shoulder' has a spring", timeout=200)


main()
