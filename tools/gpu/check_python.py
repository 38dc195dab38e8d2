"""Functions and rollouts called from Python with arrays of PyTorch, CuPy and JAX that lie on a GPU, compared with the library on the CPU.

    PYTHONPATH=python ARMATURE_LIBRARY=build/libarmature.so.0 python3 tools/gpu/check_python.py [STATES]

Needs a GPU, nvcc and PyTorch or CuPy; JAX is checked beside CuPy, since nothing can be written into its arrays. Prints the largest error of every
function, relative to the largest number of its result, and of every rollout, metric by metric; for PyTorch also the states a second of inverse dynamics with what
they move beside a copy, and the ticks a second of rollouts. Exit code 1 where something differs, 2 where nothing could be checked.
"""
import sys

import numpy as np

import armature

STATES = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1 << 22
CHECKED, RUNS, TICKS = 2000, 20, 300
ARGUMENTS = {"inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "gravity": 1, "jacobian": 1, "forward_kinematics": 1}
BOUNDS = {np.float64: 1e-11, np.float32: 2e-3}  # float32 is computed as such, and forward dynamics solves with it
STARTS = {"rrr": [0, -0.7, 1.2], "panda": [0.1, -0.4, 0.2, -1.8, 0.1, 1.5, 0.3]}


class Library:
    """How arrays get to the GPU and back."""

    def __init__(self, name):
        self.name, self.module = name, __import__(name)
        if name == "jax":
            self.module.config.update("jax_enable_x64", True)
            self.cupy = __import__("cupy")

    def there(self, x):
        if self.name == "torch":
            return self.module.from_numpy(np.ascontiguousarray(x)).cuda()
        return self.module.asarray(x) if self.name == "cupy" else self.module.numpy.asarray(x)

    def out(self, shape, kind):
        """Where results go: left to the function, but for JAX, whose arrays never change."""
        return {"out": self.cupy.empty(shape, kind)} if self.name == "jax" else {}

    def back(self, x):
        if hasattr(x, "cpu"):
            return x.cpu().numpy()
        return x.get() if hasattr(x, "get") else np.asarray(x)


def libraries():
    found = []
    for name in ("torch", "cupy", "jax"):
        try:
            found.append(Library(name))
        except ImportError:
            print(f"{name}: not here")
    return found


def told(good, text):
    print(text + ("" if good else "  DIFFERS"))
    return not good


def expected(arm, quantity, inputs):
    found = getattr(arm, quantity)(*inputs)
    return np.hstack([found.position, found.quaternion]) if quantity == "forward_kinematics" else found


def compare_functions(arm_name, library):
    """How many functions differ."""
    arm, faults = armature.load(arm_name), 0
    random = np.random.default_rng(1)
    for quantity, count in ARGUMENTS.items():
        function = arm.device_function(quantity, device="cuda", effort=0.2)
        inputs = list(random.uniform(-2, 2, (count, CHECKED, arm.dof)))
        for kind, bound in BOUNDS.items():
            given = [x.astype(kind) for x in inputs]
            wanted = expected(arm, quantity, [x.astype(float) for x in given])
            result = library.back(function(*map(library.there, given), **library.out(wanted.shape, kind)))
            error = np.abs(result - wanted).max() / np.abs(wanted).max()
            faults += told(result.dtype == kind and error < bound,
                           f"{arm_name:6} {quantity:18} {library.name:6} {kind.__name__}: error {error:.1e}")
    return faults


def reach(arm_name):
    """PD with gravity, friction, limits, an encoder and noise."""
    start = STARTS[arm_name]
    gains = {"kp": [400, 600, 200, 400, 40, 20, 5][:len(start)], "kd": [20, 40, 10, 20, 1, 0.5, 0.05][:len(start)]}
    return {"robot": arm_name, "seed": 4, "start": {"q": start}, "sensors": {"encoder": 2e-5, "position_noise": 1e-5, "speed_noise": 1e-3},
            "reference": {"kind": "polynomial", "from": start, "to": [q + 0.3 for q in start], "duration": "0.2 s"},
            "controller": {"kind": "sum", "terms": [{"kind": "joint_pd", **gains}, {"kind": "gravity"}]},
            "run": {"duration": f"{TICKS} ms", "tick": "1 ms", "method": "semi_implicit_euler"}}


def compare_rollouts(arm_name, library):
    """How many metrics and states of the runs differ from those of the same text on the CPU, which the tests hold against the simulation."""
    vary, scenario, faults = ["start.q", "arm.payload.mass", "sensors.position_noise"], reach(arm_name), 0
    on_gpu, on_cpu = (armature.device_rollout(scenario, vary, device=device) for device in ("cuda", "host"))
    random = np.random.default_rng(2)
    inputs = {"start.q": STARTS[arm_name] + random.uniform(-0.02, 0.02, (RUNS, len(STARTS[arm_name]))),
              "arm.payload.mass": random.uniform(0, 2, RUNS), "sensors.position_noise": random.uniform(1e-6, 1e-4, RUNS)}
    seed = np.arange(100, 100 + RUNS)
    wanted = on_cpu(inputs, seed=seed)
    found = on_gpu({key: library.there(x) for key, x in inputs.items()}, seed=library.there(seed), **library.out((len(on_gpu.results), RUNS), float))
    for name, truth in wanted.items():
        made = library.back(found[name])
        error = 0.0 if np.array_equal(made, truth, equal_nan=True) else np.nanmax(np.abs(made - truth)) / max(np.nanmax(np.abs(truth)), 1e-3)
        same_nan = np.array_equal(np.isnan(made), np.isnan(truth))
        faults += told(same_nan and error <= 1e-9, f"{arm_name:6} rollouts, {name:15} {library.name:6} float64: error {error:.1e}")
    return faults


def timed(work, rounds=10):
    import torch
    best = float("inf")
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) / 1e3)
    return best


def speed(arm_name):
    import torch
    arm = armature.load(arm_name)
    function = arm.device_function("inverse_dynamics", device="cuda")
    rollout = armature.device_rollout(reach(arm_name), ["start.q"], metrics=["q1_largest", "peak_torque"], device="cuda")
    for kind in (torch.float64, torch.float32):
        size = torch.finfo(kind).bits // 8
        inputs = [torch.rand(arm.dof, STATES, dtype=kind, device="cuda").T for _ in range(3)]
        out = torch.empty(arm.dof, STATES, dtype=kind, device="cuda").T
        seconds = timed(lambda: function(*inputs, out=out))
        big = torch.empty(2 * arm.dof * STATES, dtype=kind, device="cuda")
        other = torch.empty_like(big)
        copied = timed(lambda: other.copy_(big))
        moved = 4 * arm.dof * STATES * size
        print(f"{arm_name:6} inverse_dynamics   torch  {str(kind)[6:]}: {STATES / seconds:.2e} states/s, {moved / seconds / 1e9:.0f} GB/s; "
              f"a copy: {moved / copied / 1e9:.0f} GB/s")
        runs = STATES // 4
        start = torch.tensor(STARTS[arm_name], dtype=kind, device="cuda")[:, None] + 0.01 * torch.randn(arm.dof, runs, dtype=kind, device="cuda")
        seed = torch.arange(runs, device="cuda")
        results = torch.empty(len(rollout.results), runs, dtype=kind, device="cuda")
        seconds = timed(lambda: rollout({"start.q": start.T}, seed=seed, out=results), 3)
        print(f"{arm_name:6} rollouts           torch  {str(kind)[6:]}: {runs * TICKS / seconds:.2e} ticks/s, {runs} runs in {seconds:.3f} s")


def main():
    found = libraries()
    if not found:
        return 2
    faults = sum(compare(arm, library) for library in found for arm in STARTS for compare in (compare_functions, compare_rollouts))
    if any(library.name == "torch" for library in found):
        for arm in STARTS:
            speed(arm)
    print(f"{faults} differ" if faults else "all equal")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
