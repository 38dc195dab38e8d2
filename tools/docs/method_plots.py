"""The plots of docs/estimators.md that are no comparison of two estimators: each method has the picture that shows its point."""
import json
import math

from program_runs import OTHER_MOTION, noise, read_log, shaken, true_parameters, write_log
from svg_plot import Axis, Plot, around, errors

# The same arm as a drawing might have it: masses and inertias off by up to half.
DRAWN = """arm: drawn
gravity: [0, 0, -9.8062]
joints:
  - {name: waist, dh: {d: 560 mm, alpha: 90 deg}, link: {name: column, mass: 8, com: [0, 0, 0], inertia: {about: com, xx: 0.15, yy: 0.15, zz: 0.15}}}
  - {name: shoulder, dh: {d: 169 mm, a: 200 mm}, link: {name: upper_arm, mass: 7, com: [-50 mm, 0, 0], inertia: {about: com, xx: 0.06, yy: 0.09, zz: 0.09}}}
  - {name: elbow, dh: {d: 90 mm, a: 415 mm}, link: {name: forearm, mass: 1.4, com: [-207 mm, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.02, zz: 0.025}}}
"""
RIGID = ("--friction", "none", "--no-offsets", "--no-rotors")


def torque_noise(rng, *deviations):
    return lambda k: {f"tau{i + 1}": rng.gauss(0, s) for i, s in enumerate(deviations)}


def of_forearm(p, a=0.415):
    """Izz and Iyy - Ixx about the elbow's axis, from base parameters about the frame at the forearm's far end, a along x from it."""
    return p["Izz3"] + 2 * a * p["mcx3"], p["Iyy3"] + 2 * a * p["mcx3"]


def bodies(program):
    """Free estimates and bodies of the forearm from thirty noisy logs, where bodies have |Iyy - Ixx| < Izz."""
    log = shaken(program)
    program.file("drawn.yaml", DRAWN)
    free, possible = [], []
    for seed in range(30):
        write_log(program.folder / "log.csv", log, 3, torque_noise(noise(f"bodies {seed}"), 0.2, 0.2, 0.2))
        found = program.identified("drawn.yaml", "log.csv", *RIGID)["parameters"]
        free.append(of_forearm({p["name"]: p["estimate"] for p in found}))
        possible.append(of_forearm({p["name"]: p["bodies"] for p in found}))
    truth, drawn = (of_forearm(true_parameters(program, arm)) for arm in ("rrr", "drawn.yaml"))
    print("bodies", f"{sum(abs(y) > x for x, y in free)} of {len(free)} free estimates are no body's, {sum(abs(y) > x for x, y in possible)} of the bodies")
    x, y = Axis("Izz about the elbow's axis [kg m²]", *around([p[0] for p in (*free, drawn)])), Axis("Iyy − Ixx [kg m²]", *around([p[1] for p in (*free, drawn)]))
    plot = Plot(x, y, "30 logs with noise of 0.2 N m", height=320)
    edge = [max(y.low, min(y.high, v)) for v in (x.low, x.high)]
    plot.area("no body has it", [(x.low, y.high), (x.low, x.low), (y.high, y.high)] if y.high < x.high else [(x.low, y.high), (x.low, edge[0]), (x.high, edge[1]), (x.high, y.high)])
    plot.points("free estimate", "other", free)
    plot.points("body", "own", possible)
    plot.points("described", "third", [drawn], radius=5)
    plot.points("truth", "truth", [truth], radius=5)
    return plot.svg()


def reference(program):
    """How well the identified bodies predict another motion, by the weight of the described inertia."""
    log = shaken(program)
    program.file("drawn.yaml", DRAWN)
    write_log(program.folder / "fresh.csv", shaken(program, OTHER_MOTION), 3)
    write_log(program.folder / "log.csv", log, 3, torque_noise(noise("reference"), 0.5, 0.5, 0.5))

    def error(arm):
        return 100 * json.loads(program("validate", arm, "fresh.csv", "--json"))["relative_error"]

    def of_weight(end, *weight):
        answer = program.identified("drawn.yaml", "log.csv", *RIGID, "--to", end, "-o", "found.yaml", *weight)
        return answer["reference_weight"], error("found.yaml")

    described = error("drawn.yaml")
    curves = []
    for end, colour in (("0.6s", "own"), ("2s", "fourth"), ("9.5s", "third")):
        curves.append((f"log of {end[:-1]} s", colour, [of_weight(end, "--reference-weight", f"1e{k}") for k in range(-4, 7)], of_weight(end)))
        print("reference", end, "chosen", curves[-1][3], "best", min(y for _, y in curves[-1][2]))
    shares = [y for _, _, points, _ in curves for _, y in points] + [described]
    plot = Plot(Axis("weight of the described inertia", 1e-4, 1e6, log=True), Axis("error on another motion", 0.8 * min(shares), 1.3 * max(shares), log=True, unit=" %"),
                "noise of 0.5 N m", height=290)
    plot.curve("as described", "truth", [(1e-4, described), (1e6, described)], dashed=True)
    for name, colour, points, _ in curves:
        plot.curve(name, colour, points)
    for _, colour, _, chosen in curves:
        plot.points("", colour, [chosen], radius=5)
    plot.named("chosen", "zero", "point")
    return plot.svg()


def period(program):
    """Error with the number of periods: of the mean period, and of all samples together."""
    truth = true_parameters(program, "rrr")
    kept = [k for k, v in truth.items() if abs(v) > 0.1 * max(map(abs, truth.values()))]
    counts, length = (2, 4, 8, 16), 2500
    log = shaken(program, duration=5 * (counts[-1] + 1) + 1)
    found = {"all samples": [], "mean period": []}
    for n in counts:
        squares = {name: [] for name in found}
        for seed in range(4):
            rng = noise(f"period {seed}")
            cut = {name: column[:(n + 1) * length + 1] for name, column in log.items()}
            readings = lambda k: {f"{name}{i}": rng.gauss(0, s) for name, s in (("tau", 0.2), ("q", 2e-5)) for i in (1, 2, 3)}
            write_log(program.folder / "log.csv", cut, 3, readings)
            for name, options in (("all samples", ("--from", "5s")), ("mean period", ("--period", "5s"))):
                answer = program.identified("rrr", "log.csv", *RIGID, "--reference-weight", "1", *options)
                squares[name] += [(p["estimate"] / truth[p["name"]] - 1) ** 2 for p in answer["parameters"] if p["name"] in kept]
        for name, values in squares.items():
            found[name].append((n, 100 * math.sqrt(sum(values) / len(values))))
    print("period", {name: [f"{y:.2f}" for _, y in points] for name, points in found.items()})
    plot = Plot(Axis("periods N", 1.8, 18, log=True, marks=counts), Axis("error, r.m.s.", 1, 40, log=True, unit=" %"), "noise of 0.02 mrad and 0.2 N m", height=270)
    start = found["mean period"][0][1]
    plot.curve("1/√N", "truth", [(n, start * math.sqrt(2 / n)) for n in counts], dashed=True)
    for name, colour in (("all samples", "other"), ("mean period", "own")):
        plot.curve("", colour, found[name])
        plot.points(name, colour, found[name])
    return plot.svg()


TWO = """arm: two
gravity: [0, -9.81, 0]
joints:
  - {name: shoulder, dh: {a: 0.4}, friction: SHOULDER, link: {name: l1, mass: 4, com: [-0.2, 0, 0], inertia: {about: com, xx: 0.02, yy: 0.06, zz: 0.06}}}
  - {name: elbow, dh: {a: 0.3}, friction: ELBOW, link: {name: l2, mass: 2, com: [-0.15, 0, 0], inertia: {about: com, xx: 0.005, yy: 0.02, zz: 0.02}}}
"""
RUBBED = """scenario: rubbed
robot: two.yaml
start: {on_reference: true}
reference: {kind: fourier, from: [0 deg, 45 deg], base_frequency: 0.1 Hz, sine: [[0.5, 0.3, 0.1, 0.1], [0.3, 0.4, 0.2, -0.2]], cosine: [[0.2, -0.2, 0.1, 0.05], [0.3, -0.2, 0.3, 0.1]]}
controller: {kind: joint_pd, kp: [1500 N*m/rad, 800 N*m/rad], kd: [60 N*m*s/rad, 20 N*m*s/rad]}
run: {duration: 30 s, tick: 1 ms}
"""


def law_torque(p, v):
    """Of a law without a state, as docs/arm_files.md has them."""
    sign = math.copysign(1, v)
    if p["law"] == "stribeck":
        return sign * (p["coulomb"] + (p["static"] - p["coulomb"]) * math.exp(-abs(v / p["stribeck_velocity"]) ** p["exponent"])) + p["viscous"] * v
    if p["law"] == "three_sigmoid":
        return sum(p[f"f{k}"] * math.tanh(p[f"w{k}"] * v) for k in (1, 2, 3)) + p["viscous"] * v
    if p["law"] == "asymmetric":
        side = "positive" if v > 0 else "negative"
        return sign * p[f"coulomb_{side}"] + p[f"viscous_{side}"] * v + p.get("offset", 0)
    return sign * p["coulomb"] + p["viscous"] * v


def friction(program):
    """A joint with a Stribeck law, and what three laws make of it."""
    truth = {"law": "stribeck", "coulomb": 2, "static": 4, "stribeck_velocity": 0.15, "viscous": 0.6, "exponent": 2}
    program.file("two.yaml", TWO.replace("SHOULDER", json.dumps(truth).replace('"', "")).replace("ELBOW", "{law: coulomb_viscous, coulomb: 1, viscous: 0.5}"))
    log = program.simulated(RUBBED)
    write_log(program.folder / "log.csv", log, 2, torque_noise(noise("friction"), 1, 1))
    laws = {}
    for name in ("coulomb_viscous", "three_sigmoid", "stribeck"):
        program.identified("two.yaml", "log.csv", "--friction", name, "--standstill", "0.02", "-o", "found.yaml", "--errors", "errors.csv")
        laws[name] = program.law("found.yaml", 1)
        print("friction", laws[name])
    left = read_log(program.folder / "errors.csv")  # of the last: the Stribeck law
    dots = [(v, e + law_torque(laws["stribeck"], v)) for v, e in zip(left["v1"], left["tau1_error"]) if abs(v) > 0.02][::6]
    plot = Plot(Axis("speed [rad/s]", *around([v for v, _ in dots], 0.02)), Axis("friction [N m]", *around([y for _, y in dots], 0.04)), "torques with noise of 1 N m", height=320)
    plot.points("measured less bodies", "other", dots, radius=1.4)
    at = [x * 0.005 for x in range(1, 400) if x * 0.005 < plot.x.high]
    back = [-v for v in reversed(at) if -v > plot.x.low]
    for name, colour, p, width in (("coulomb_viscous", "fourth", laws["coulomb_viscous"], 2), ("three_sigmoid", "third", laws["three_sigmoid"], 5),
                                   ("stribeck", "own", laws["stribeck"], 2.6), ("truth", "truth", truth, 1.2)):
        plot.curve(name, colour, [(v, law_torque(p, v)) for v in (*back, *at)], dashed=name == "truth", width=width)
    return plot.svg()


def bristles_scenario():
    """Both joints move at large, then the shoulder goes to and fro by a few mrad, then both again."""
    rng = noise("bristles")
    times, points = [0.0], [[0.2, 0.8]]
    def go(duration, shoulder, elbow):
        times.append(round(times[-1] + duration, 3)), points.append([round(shoulder, 5), round(elbow, 5)])
    def large():
        for _ in range(12):
            go(1, rng.uniform(-0.7, 0.7), rng.uniform(0.2, 1.5))
        go(1, 0.2, 0.8)
    large()
    begin = times[-1]
    for k in range(16):
        go(0.5, 0.2 + 0.0015 * (1 + k // 4) * (-1) ** k, 0.8)
    end = times[-1]
    large()
    return begin, end, f"""scenario: bristles
robot: two.yaml
start: {{on_reference: true}}
reference: {{kind: spline, order: 5, times: {times}, waypoints: {points}}}
controller: {{kind: joint_pd, kp: [4000 N*m/rad, 800 N*m/rad], kd: [100 N*m*s/rad, 20 N*m*s/rad]}}
run: {{duration: {times[-1]} s, tick: 1 ms}}
"""


def lugre_torque(p, speeds, step):
    """Along a motion, the bristles at rest in the beginning [CanudasDeWit1995]; the speed is constant over a step."""
    z, out = 0.0, []
    for v in speeds:
        g = p["coulomb"] + (p["static"] - p["coulomb"]) * math.exp(-((v / p["stribeck_velocity"]) ** 2))
        rate = p["sigma0"] * abs(v) / g
        out.append(p["sigma0"] * z + p["sigma1"] * (v - rate * z) + p["sigma2"] * v)
        goal = math.copysign(g / p["sigma0"], v)
        z = goal + (z - goal) * math.exp(-rate * step)
    return out


def lugre(program):
    """Torque over displacement while the joint turns round: true, by the identified bristles, and by the law without them."""
    elbow = "{law: lugre, sigma0: 1000, sigma1: 0.5, sigma2: 0.5, coulomb: 1, static: 1.4, stribeck_velocity: 0.1}"
    program.file("two.yaml", TWO.replace("SHOULDER", "{law: lugre, sigma0: 2000, sigma1: 1, sigma2: 0.6, coulomb: 2, static: 3, stribeck_velocity: 0.1}").replace("ELBOW", elbow))
    begin, end, scenario = bristles_scenario()
    log = program.simulated(scenario)
    write_log(program.folder / "log.csv", log, 2, torque_noise(noise("lugre"), 0.05, 0.05))
    laws = {}
    for name in ("stribeck", "lugre"):
        program.identified("two.yaml", "log.csv", "--friction", name, "-o", "found.yaml")
        laws[name] = program.law("found.yaml", 1)
        print("lugre", laws[name])
    rows = [k for k, t in enumerate(log["time"]) if begin + 0.5 <= t < end]
    q0 = log["q1"][rows[0]]
    model = lugre_torque(laws["lugre"], log["v1"], 1e-3)
    shift = lambda k: 1e3 * (log["q1"][k] - q0)
    plot = Plot(Axis("displacement [mrad]", *around([shift(k) for k in rows])), Axis("friction [N m]", -3.6, 3.6), "going to and fro by a few mrad", height=320)
    plot.curve("stribeck", "other", [(shift(k), law_torque(laws["stribeck"], log["v1"][k])) for k in rows[::4]])
    plot.curve("lugre", "own", [(shift(k), model[k]) for k in rows[::4]], width=3)
    plot.curve("truth", "truth", [(shift(k), log["friction1"][k]) for k in rows[::4]], dashed=True, width=1.2)
    return plot.svg()


LOAD = "payload: {mass: 2 kg, com: [40 mm, -30 mm, 80 mm], inertia: {about: com, xx: 0.012, yy: 0.010, zz: 0.006, xy: 0.002, xz: -0.002, yz: 0.003}}\n"
LOADED = """scenario: loaded
robot: loaded.yaml
start: {on_reference: true}
plant: {torque_limits: false}
reference: {kind: fourier, from: [0 deg, -80 deg, 80 deg, -60 deg, 60 deg, 0 deg], base_frequency: 0.2 Hz, sine: [[0.5, 0.3, 0.1], [0.4, -0.3, 0.1], [0.6, 0.2, -0.1], [0.6, 0.8, 0.5], [0.9, -0.5, 0.4], [1.2, 0.9, 0.6]], cosine: [[0.2, -0.2, 0.1], [0.1, -0.1, 0.1], [0.3, -0.3, 0.1], [0.5, -0.6, 0.4], [-0.8, 0.7, 0.5], [0.6, -0.8, 0.7]]}
controller: {kind: joint_pd, continuous: true, kp: [2000, 2000, 1000, 200, 200, 100], kd: [200, 200, 100, 10, 10, 5]}
run: {duration: 10 s, tick: 2 ms}
"""


def payload(program):
    """What a ur5e carries: all ten parameters in the tool's frame."""
    program("export", "ur5e", "-o", "ur5e.yaml")
    text = (program.folder / "ur5e.yaml").read_text(encoding="utf-8")
    program.file("loaded.yaml", text.replace("joints:", LOAD + "joints:", 1))
    log = program.simulated(LOADED)
    write_log(program.folder / "log.csv", log, 6, torque_noise(noise("payload"), 1, 1, 1, 0.2, 0.2, 0.2))
    m, x, y, z = 2, 0.04, -0.03, 0.08
    truth = {"m": m, "mcx": m * x, "mcy": m * y, "mcz": m * z,
             "Ixx": 0.012 + m * (y * y + z * z), "Iyy": 0.010 + m * (x * x + z * z), "Izz": 0.006 + m * (x * x + y * y),
             "Ixy": 0.002 - m * x * y, "Ixz": -0.002 - m * x * z, "Iyz": 0.003 - m * y * z}
    found = {p["name"]: p for p in program.identified("ur5e", "log.csv", "--payload")["payload"]}
    share = lambda value, k: 100 * (value - truth[k]) / abs(truth[k])
    free = [tuple(share(v, k) for v in (found[k]["estimate"], *found[k]["interval_95"])) for k in truth]
    body = [(share(found[k]["body"], k),) * 3 for k in truth]
    print("payload", " ".join(f"{k} {y:.2f} ({low:.2f}..{high:.2f})" for k, (y, low, high) in zip(truth, free)))
    return errors(list(truth), [("estimate", "own", free), ("nearest body", "other", body)], "noise of 1 N m (arm) and 0.2 N m (wrist)")


METHODS = {"bodies": bodies, "reference": reference, "period": period, "friction": friction, "lugre": lugre, "payload": payload}
