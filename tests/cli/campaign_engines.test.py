"""armature campaign --device: the same runs whoever makes them, and a sentence where an engine cannot."""
import os
import struct

from program import ROOT, ProgramTest, main, run

SCENARIO = """scenario: move
robot: rrr
start: {q: [0 deg, -45 deg, 90 deg]}
sensors: {encoder: 1e-5, position_noise: 1e-5, speed: difference}
reference: {kind: polynomial, from: [0 deg, -45 deg, 90 deg], to: [60 deg, 0 deg, 30 deg], duration: 0.2 s}
controller: {kind: joint_pd, kp: [800, 800, 300], kd: [60, 60, 15]}
run: {duration: 0.3 s, tick: 1 ms, method: rk4}
"""
CAMPAIGN = """campaign: move
scenario: scenario.yaml
seed: 3
vary:
  arm.payload.mass: {uniform: [0 kg, 3 kg]}
  start.q.0: {plus: {normal: [0 deg, 0.2 deg]}}
plan: {runs: 100}
require: {tool_largest: below 90 mm}
record: [q2_end]
worst: 1
"""


class Engines(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scenario.yaml").write_text(SCENARIO)
        (self.folder / "campaign.yaml").write_text(CAMPAIGN)
        self.env = {"ARMATURE_CACHE": str(self.folder / "cache")}

    def campaign(self, *more, out="out", **keys):
        return self.done("campaign", self.folder / "campaign.yaml", "-o", self.folder / out, *more, env=self.env, timeout=300, **keys)

    def change(self, name, *pairs):
        text = {"scenario": SCENARIO, "campaign": CAMPAIGN}[name]
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / f"{name}.yaml").write_text(text)

    def rows(self, out):
        data = (self.folder / out / "runs.npy").read_bytes()
        end = 12 + int.from_bytes(data[8:12], "little")
        header = eval(data[12:end].decode(), {})  # a Python dictionary, by definition of the format
        names = [name for name, kind in header["descr"]]
        numbers = struct.unpack(f"<{header['shape'][0] * len(names)}d", data[end:])
        return names, [numbers[i:i + len(names)] for i in range(0, len(numbers), len(names))]

    def assert_same_runs(self, one, other, count):
        names, rows = self.rows(one)
        self.assertEqual(names, self.rows(other)[0])
        self.assertEqual(len(rows), count)
        for k, (a, b) in enumerate(zip(rows, self.rows(other)[1])):
            for name, x, y in zip(names, a, b):
                if x != y and not (x != x and y != y):
                    self.assertLessEqual(abs(x - y), 1e-9 * max(abs(x), 1e-3), f"run {k}: {name} {x} {y}")

    def test_lockstep_is_the_default_and_makes_the_runs_that_the_simulation_makes(self):
        for method in ["rk4", "auto"]:
            with self.subTest(method):
                self.change("scenario", ("method: rk4", f"method: {method}"))
                answer = self.campaign(out=f"{method}_lockstep")
                self.assertEqual(answer.err, "")
                self.assertNotIn("simulated by itself", answer.out)
                self.assertEqual((self.folder / f"{method}_lockstep" / "engines.txt").read_text(), "0 lockstep\n")
                self.campaign("--device", "simulation", out=f"{method}_simulated")
                self.assert_same_runs(f"{method}_lockstep", f"{method}_simulated", 100)
        self.assertFalse((self.folder / "cache").exists())  # nothing was compiled
        # whatever the threads, parts and interrupts
        self.campaign("--runs", 37, "--threads", 1, out="grown")
        self.campaign("--threads", 3, out="grown")
        for k in [2, 3, 1]:
            self.campaign("--shard", f"{k}/3", out="parts")
        merged = self.done("merge", self.folder / "parts")
        self.assertEqual(merged.err, "")
        whole = (self.folder / "auto_lockstep" / "runs.npy").read_bytes()
        for name in ["parts", "grown"]:
            self.assertEqual(whole, (self.folder / name / "runs.npy").read_bytes(), name)

    def test_a_run_that_comes_near_an_end_stop_is_simulated_by_itself(self):
        (self.folder / "lift.yaml").write_text("""arm: lift
gravity: [0, 0, -10 m/s^2]
joints:
  - name: slide
    type: prismatic
    origin: {xyz: [0, 0, 0], rpy: [0, 0, 0]}
    axis: [0, 0, 1]
    limits: {position: [-15 mm, 1 m]}
    link: {name: carriage, mass: 1 kg, com: [0, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.01, zz: 0.01, xy: 0, xz: 0, yz: 0}}
""")
        (self.folder / "scenario.yaml").write_text("""scenario: lift
robot: lift.yaml
reference: {kind: hold}
controller: {kind: joint_pd, kp: [1000 N/m], kd: [80 N*s/m]}
run: {duration: 0.5 s, tick: 1 ms}
""")
        (self.folder / "campaign.yaml").write_text("""campaign: lift
scenario: scenario.yaml
vary:
  arm.payload.mass: {uniform: [0 kg, 1 kg]}
plan: {runs: 40}
require: {tool_end: < 18 mm}
worst: 1
""")
        self.assertNotIn("simulated by itself", self.campaign(out="lockstep").out)
        self.campaign("--device", "simulation", out="simulated")
        self.assert_same_runs("lockstep", "simulated", 40)
        self.campaign("--set", "plant.end_stops=false", out="free")
        end = lambda out: [row[self.rows(out)[0].index("tool_end")] for row in self.rows(out)[1]]
        stopped = [abs(a - b) > 1e-4 for a, b in zip(end("lockstep"), end("free"))]
        self.assertTrue(5 < sum(stopped) < 35, sum(stopped))  # with 1.5 kg and more it hangs below 15 mm

    def test_engines_are_not_mixed_silently(self):
        self.campaign("--runs", 40, "--device", "simulation", out="turns")
        self.assertEqual(self.campaign("--runs", 60, "--device", "simulation", out="turns").err, "")
        mixed = self.campaign(out="turns")
        self.assertIn("runs from 0 on by simulation, from 60 on by lockstep", mixed.err)
        self.assertEqual((self.folder / "turns" / "engines.txt").read_text(), "0 simulation\n60 lockstep\n")
        self.assertEqual(self.campaign(out="turns").err, "")  # nothing is left to make
        self.campaign("--shard", "1/2", "--device", "simulation", out="parts")
        self.campaign("--shard", "2/2", out="parts")
        self.assertIn("from 50 on by lockstep", self.done("merge", self.folder / "parts").err)
        (self.folder / "turns" / "engines.txt").unlink()
        self.assertIn("not noted", self.campaign("--runs", 110, out="turns").err.replace("-", " "))

    def test_a_kernel_makes_the_runs_that_threads_make(self):
        answer = self.campaign("--device", "host", out="host")
        self.assertEqual(answer.err, "")
        self.campaign("--device", "threads", out="threads")
        self.assert_same_runs("host", "threads", 100)
        kept = os.listdir(self.folder / "cache")
        self.assertEqual(len(kept), 1)
        # parts, interrupts and threads change nothing, and the kernel is kept
        for k in [2, 1]:
            self.campaign("--device", "host", "--shard", f"{k}/2", "--threads", 3, out="parts")
        self.done("merge", self.folder / "parts")
        self.campaign("--device", "host", "--runs", 70, out="grown")
        self.campaign("--device", "host", out="grown")
        whole = (self.folder / "host" / "runs.npy").read_bytes()
        for name in ["parts", "grown"]:
            self.assertEqual(whole, (self.folder / name / "runs.npy").read_bytes(), name)
        self.assertEqual(kept, os.listdir(self.folder / "cache"))
        # engines may take turns, and gains need no new kernel
        self.campaign("--device", "host", "--runs", 40, out="turns")
        self.campaign(out="turns")
        self.assert_same_runs("turns", "threads", 100)
        self.campaign("--device", "host", "--runs", 10, "--set", "controller.kp=[700, 700, 300]", out="softer")
        self.assertEqual(kept, os.listdir(self.folder / "cache"))
        self.done("campaign", self.folder / "campaign.yaml", "--replay", 5, "--device", "host", "-o", self.folder / "again")

    def test_what_a_kernel_cannot_do_is_said_and_threads_do_it(self):
        cases = [
            ("scenario", "method: rk4", "method: cvode", "which controls its error"),
            ("scenario", "tick: 1 ms, method: rk4", "tick: 20 ms, step: 20 ms", "run.method is 'auto', which takes error control, because"),
            ("scenario", "kind: joint_pd", "kind: sum, terms: [{kind: joint_damping, kd: 5}], fade: 0.1 s} #", "the law 'joint_damping'"),
            ("scenario", "reference: {kind: polynomial, from: [0 deg, -45 deg, 90 deg],", "reference: {kind: polynomial,", "differs from run to run"),
            ("scenario", "sensors: {", "sensors: {delay: 1, ", "delayed"),
            ("campaign", "  start.q.0: {plus: {normal: [0 deg, 0.2 deg]}}", "  reference.duration: {uniform: [0.1 s, 0.2 s]}", "'reference.duration' varies"),
        ]
        for name, old, new, says in cases:
            with self.subTest(new):
                self.change("scenario")
                self.change("campaign")
                self.change(name, (old, new))
                answer = self.campaign("--device", "host", "--runs", 3, out=says)
                self.assertIn("no kernel can make these runs", answer.err)
                self.assertIn(says, " ".join(answer.err.split()))
                self.assertEqual(len(self.rows(says)[1]), 3)
                default = self.campaign("--runs", 3, out="default " + says)
                self.assertEqual(default.err, "")
                self.assertIn("each run is simulated by itself, not in lockstep", default.out)
                self.assertIn(says, " ".join(default.out.split()))

    def test_a_draw_without_a_machine_names_its_run_and_keeps_those_before(self):
        self.change("campaign", ("{uniform: [0 kg, 3 kg]}", "{normal: [1 kg, 600 g]}"))
        said = [run("campaign", self.folder / "campaign.yaml", "-o", self.folder / out, "--device", out, env=self.env, timeout=300)
                for out in ["host", "threads"]]
        self.assertEqual([answer.code for answer in said], [2, 2])
        self.assertEqual(said[0].err, said[1].err)
        self.assertIn("drawn: ", said[0].err)
        self.assert_same_runs("host", "threads", len(self.rows("threads")[1]))

    def test_no_compiler_and_no_graphics_processor_are_sentences(self):
        command = ["campaign", self.folder / "campaign.yaml", "-o", self.folder / "out"]
        self.refused(2, *command, "--device", "gpu", says="there is no such engine")
        self.refused(2, *command, "--device", "cuda", env={**self.env, "NVCC": "/nowhere/nvcc"}, says="no CUDA compiler '/nowhere/nvcc'")
        self.refused(2, *command, "--device", "host", env={**self.env, "CXX": "/bin/false"}, says="did not accept")
        broken = self.folder / "nvcc"
        broken.write_text("#!/bin/sh\necho 'nvcc fatal: nothing works'\nexit 1\n")
        broken.chmod(0o755)
        self.refused(2, *command, "--device", "cuda", env={**self.env, "NVCC": str(broken)}, says=["did not accept", "nothing works", "$NVCC"])
        # a compiler for a card that is not there: the text as C++, and a driver that finds none
        alone = self.folder / "alone"
        alone.write_text(f"""#!/bin/sh
for word; do case "$word" in *.cu) source=$word ;; *.so) object=$word ;; esac; done
printf 'extern "C" const char* armature_campaign_device() {{ return "no CUDA-capable device is detected"; }}\\n' >{self.folder}/stub.cpp
exec c++ -shared -fPIC -x c++ {self.folder}/stub.cpp -o "$object"
""")
        alone.chmod(0o755)
        self.refused(2, *command, "--device", "cuda", env={**self.env, "NVCC": str(alone)}, says="no CUDA-capable device")
        self.assertFalse((self.folder / "out").exists())
        self.campaign("--runs", 5)  # nothing is lost

    def test_cuda_takes_the_same_way_with_a_compiler_that_knows_no_cuda(self):
        # what nvcc would compile, compiled as C++: the whole way but for the card
        fake = self.folder / "nvcc"
        fake.write_text(f"""#!/bin/sh
for word; do case "$word" in *.cu) source=$word ;; *.so) object=$word ;; esac; done
cat "$source" >{self.folder}/text.cpp
printf '\\nextern "C" const char* armature_campaign_device() {{ return nullptr; }}\\n' >>{self.folder}/text.cpp
exec c++ -std=c++17 -O2 -shared -fPIC {self.folder}/text.cpp -o "$object"
""")
        fake.chmod(0o755)
        self.env["NVCC"] = str(fake)
        self.campaign("--device", "cuda", out="cuda")
        self.campaign(out="threads")
        self.assert_same_runs("cuda", "threads", 100)

    def test_the_text_can_be_looked_at(self):
        self.campaign("--device", "source", out="text")
        text = (self.folder / "text" / "kernel.cu").read_text()
        for words in ["__global__", "loop_forward_dynamics", "struct Loop", "armature_campaign_runs", "kernel_table"]:
            self.assertIn(words, text)

    def test_the_campaign_of_the_graphics_bench_is_one_for_kernels(self):
        answer = self.done("campaign", ROOT / "tools" / "gpu" / "panda.yaml", "-o", self.folder / "panda", "--runs", 16, "--device", "host",
                           "--json", env=self.env, timeout=300)
        self.assertEqual(answer.err, "")
        self.assertEqual(answer.json["runs"], 16)


if __name__ == "__main__":
    main()
