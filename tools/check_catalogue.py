#!/usr/bin/env python3
"""Check arms/*.yaml with a reader and a Newton-Euler recursion that share nothing with the library.

Every body exists (mass > 0, second moments about the centre of mass positive definite) unless the file says
`unphysical:`; M(q) is positive definite; names and sources are there; rrr and rrr_generic are what nearest_rrr.py
computes. Where ../shared/vectors lies beside the repository, rrr_printed, planar3r, rpr and rpr_printed must reproduce
it. Needs numpy and PyYAML.

    python3 tools/check_catalogue.py          one line per arm; exit 1 when a check fails
"""
import json
import re
import sys
from pathlib import Path

try:
    import numpy as np
    import yaml
except ImportError as missing:
    print(f"catalogue not checked: {missing}; it needs python3-numpy and python3-yaml")
    sys.exit(77)

import nearest_rrr

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT.parent / "shared" / "vectors"
UNITS = {"deg": np.pi / 180, "mm": 1e-3, "uH": 1e-6} | dict.fromkeys(("rad", "m", "kg", "s", "N", "A", "V", "ohm"), 1)
problems = []


def fail(arm, text):
    problems.append(f"{arm}: {text}")


def number(x):
    """'90 deg', '0.1 N*m*s/rad', '-9.81 m/s^2' or a plain number, in SI."""
    if isinstance(x, (int, float)):
        return float(x)
    value, _, unit = str(x).partition(" ")
    factor, sign = 1.0, 1
    for word in re.findall(r"[A-Za-z]+(?:\^\d+)?|[*/]", unit):
        if word in "*/":
            sign = 1 if word == "*" else -1
            continue
        name, _, power = word.partition("^")
        factor *= UNITS[name] ** (sign * int(power or 1))
    return float(value) * factor


def numbers(value):
    """All of them in a list, or in what a link looks like or touches with."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [number(value)] if parts is None else [x for part in parts for x in numbers(part)]


def vector(v):
    return np.array([number(x) for x in v])


def rotation(axis, angle):
    K = np.cross(np.eye(3), np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def placed(R, p):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def placement(d):
    if not d:
        return np.eye(4)
    r, p, y = vector(d["rpy"])
    return placed(rotation((0, 0, 1), y) @ rotation((0, 1, 0), p) @ rotation((1, 0, 0), r), vector(d["xyz"]))


def body(link):
    """(mass, centre, tensor about the centre) in the link frame."""
    m, i = number(link["mass"]), link["inertia"]
    c = vector(link["com"]) if "com" in link else vector(link["first_moment"]) / m
    xx, yy, zz, xy, xz, yz = (number(i[k]) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if i["about"] == "origin":
        I = I - m * (c @ c * np.eye(3) - np.outer(c, c))
    return m, c, I


class Chain:
    """Joint i: fixed placement before the motion, motion along `axis`, fixed placement after it: the link's frame."""

    def __init__(self, data):
        self.base, self.tool = placement(data.get("base")), placement(data.get("tool"))
        self.gravity = vector(data.get("gravity", [0, 0, -9.80665]))
        self.joints, modified = [], data.get("convention", "standard") == "modified"
        for j in data["joints"]:
            kind, axis = j.get("type", "revolute"), np.array([0.0, 0, 1])
            if "dh" in j:
                theta, d, a, alpha = (number(j["dh"][k]) for k in ("theta", "d", "a", "alpha"))
                screw_z = placed(rotation((0, 0, 1), theta), (0, 0, d))
                screw_x = placed(rotation((1, 0, 0), alpha), (a, 0, 0))
                before, after = (screw_x @ screw_z, np.eye(4)) if modified else (np.eye(4), screw_z @ screw_x)
            else:
                before, after, axis = placement(j["origin"]), np.eye(4), vector(j.get("axis", [0, 0, 1]))
            self.joints.append((kind, before, axis, after, body(j["link"]) if "mass" in j.get("link", {}) else None))
        self.dof = sum(kind != "fixed" for kind, *_ in self.joints)

    def somewhere(self, rng):
        """Any angle; slides within 0.3 m of their zero."""
        moving = [kind for kind, *_ in self.joints if kind != "fixed"]
        return np.array([rng.uniform(-np.pi, np.pi) if kind == "revolute" else rng.uniform(-.3, .3) for kind in moving])

    def frames(self, q):
        """World placements: joint axes (origin, direction, kind) and link frames."""
        T, axes, links, k = self.base, [], [], 0
        for kind, before, axis, after, _ in self.joints:
            T = T @ before
            if kind != "fixed":
                axes.append((T[:3, 3], T[:3, :3] @ axis, kind))
                turn, slide = (q[k], 0.0) if kind == "revolute" else (0.0, q[k])
                T = T @ placed(rotation(axis, turn), slide * axis)
                k += 1
            T = T @ after
            links.append(T)
        return axes, links

    def tip(self, q):
        return self.frames(q)[1][-1] @ self.tool

    def jacobian(self, q):
        axes, p = self.frames(q)[0], self.tip(q)[:3, 3]
        return np.array([np.r_[np.cross(z, p - o), z] if kind == "revolute" else np.r_[z, 0, 0, 0]
                         for o, z, kind in axes]).T

    def torque(self, q, v, a, gravity=None):
        """Newton-Euler in world axes: accelerations outwards, each body's wrench collected at every joint before it."""
        gravity = self.gravity if gravity is None else gravity
        axes, links = self.frames(q)
        w, dw, ddp, o_before = np.zeros(3), np.zeros(3), -gravity, self.base[:3, 3]
        tau, k = np.zeros(self.dof), 0
        for (kind, *_, inertial), T in zip(self.joints, links):
            if kind != "fixed":
                o, z, _ = axes[k]
                ddp, o_before = ddp + np.cross(dw, o - o_before) + np.cross(w, np.cross(w, o - o_before)), o
                if kind == "revolute":
                    w, dw = w + z * v[k], dw + z * a[k] + np.cross(w, z * v[k])
                else:                                                # the point of the slide now at o
                    ddp = ddp + z * a[k] + 2 * np.cross(w, z * v[k])
                k += 1
            if inertial is None:
                continue
            m, c, I = inertial
            R = T[:3, :3]
            c, I = T[:3, 3] + R @ c, R @ I @ R.T
            f = m * (ddp + np.cross(dw, c - o_before) + np.cross(w, np.cross(w, c - o_before)))
            n = I @ dw + np.cross(w, I @ w)
            for i, (oi, zi, ki) in enumerate(axes[:k]):
                tau[i] += zi @ (n + np.cross(c - oi, f)) if ki == "revolute" else zi @ f
        return tau

    def mass_matrix(self, q):
        return np.array([self.torque(q, np.zeros(self.dof), e, np.zeros(3)) for e in np.eye(self.dof)]).T


def close(arm, what, got, want, tolerance=1e-12):
    got, want = np.asarray(got, float), np.asarray(want, float)
    error = np.max(np.abs(got - want)) / max(1.0, np.max(np.abs(want)))
    if not error <= tolerance:
        fail(arm, f"{what} off by {error:.2e}")
    return error


def against_vectors(arms):
    read = lambda name: json.loads((VECTORS / name).read_text())
    worst = 0.0
    chain = arms["rrr_printed"]
    for v in read("rrr.json")["tableV"]["vectors"]:
        worst = max(worst, close("rrr_printed", "tau", chain.torque(v["q"], v["qd"], v["qdd"]), v["tau"]),
                    close("rrr_printed", "M", chain.mass_matrix(v["q"]), v["M"]),
                    close("rrr_printed", "tip", chain.tip(v["q"])[:3, 3], v["fk"]),
                    close("rrr", "tip", arms["rrr"].tip(v["q"])[:3, 3], v["fk"]))
    rpr = read("rpr.json")
    example = rpr["report_example"]
    masses = example["report_example_correct_inertia"]["masses"]
    bars = [v for v in rpr["vectors"] if v["masses"] == masses]                          # the others are random arms
    for name, vectors in (("rpr", bars + [example["report_example_correct_inertia"]]),
                          ("rpr_printed", [example["report_example_reported_code_inertia"]])):
        for v in vectors:
            chain = arms[name]
            worst = max(worst, close(name, "tau", chain.torque(v["q"], v["qd"], v["qdd"]), v["tau"]),
                        close(name, "B", chain.mass_matrix(v["q"]), v["B"]),
                        close(name, "H", chain.tip(v["q"]), v["H_E_0"]),
                        close(name, "J", chain.jacobian(v["q"]), v["J_geometric"]))
    for v in read("planar3r.json")["vectors"]:
        if np.allclose(v["l"], 1 / 3):
            worst = max(worst, close("planar3r", "tip", arms["planar3r"].tip(v["q"])[:2, 3], v["fk"][:2]),
                        close("planar3r", "J", arms["planar3r"].jacobian(v["q"])[[0, 1, 5]], v["J"]))
    print(f"reference vectors reproduced, worst relative error {worst:.1e}")


def against_script(arms):
    W = nearest_rrr.torque_metric()
    for name, links, digit in (("rrr", nearest_rrr.rrr(W), 1e-6), ("rrr_generic", nearest_rrr.rrr_generic(W), 1e-4)):
        for i, ((*_, got), want) in enumerate(zip(arms[name].joints, links)):
            if i == 0:                                               # of the column only its axis counts
                m, c, I = got
                close(name, "column", I[1, 1] + m * (c[0]**2 + c[2]**2), want[2][1, 1], 1.01 * digit)
            else:                                                    # one unit of the last digit for another libm
                for what, x, y, tolerance in zip(("mass", "centre", "tensor"), got, want, (0, 1.01e-5, 1.01 * digit)):
                    close(name, f"link {i + 1} {what}", x, y, tolerance)
    print("rrr and rrr_generic are what tools/nearest_rrr.py computes")


def against_toolbox(arms):
    """puma560 at the pose qn of the Robotics Toolbox; M there includes rotors and the measured, impossible link 3."""
    qn, gravity = np.pi * np.array([0, .25, 1, 0, .25, 0]), np.array([0, 0, -9.81])
    load = [0, 31.6399, 6.0351, 0, 0.0283, 0]
    upper = {(0, 0): 3.6593754, (0, 1): -.4043612, (0, 2): .1006136, (0, 3): -.0025170, (1, 1): 4.4137419,
             (1, 2): .3508907, (1, 4): .0023595, (2, 2): .9378416, (2, 4): .0014802, (3, 3): .1925317, (3, 5): .0000283,
             (4, 4): .1713485, (5, 5): .1941045}
    M = np.zeros((6, 6))
    for (i, j), x in upper.items():
        M[i, j] = M[j, i] = x
    data = yaml.safe_load((ROOT / "arms" / "puma560.yaml").read_text())
    drives = [j["drive"] for j in data["joints"]]
    rotors = np.diag([number(d["gear_ratio"])**2 * number(d["rotor_inertia"]) for d in drives])
    close("puma560", "gravity", arms["puma560"].torque(qn, np.zeros(6), np.zeros(6), gravity), load, 1e-4)
    data["joints"][2]["link"]["inertia"] |= {"xx": .066, "yy": .086, "zz": .0125}
    close("puma560", "M with link 3 as measured", Chain(data).mass_matrix(qn) + rotors, M, 5e-8)
    change = np.max(np.abs(arms["puma560"].mass_matrix(qn) + rotors - M))
    print(f"puma560 agrees with the Robotics Toolbox; making link 3 possible changes M(qn) by {change:.4f} kg m^2")


def check(path):
    data = yaml.safe_load(path.read_text())
    name = data.get("arm")
    if name != path.stem:
        fail(path.name, "file name and arm name differ")
    for key in ("description", "source"):
        if not data.get(key):
            fail(name, f"no {key}")
    chain, rng, mass, thin = Chain(data), np.random.default_rng(0), 0.0, np.inf
    for j in data["joints"]:
        for part in ("limits", "friction", "drive", "link"):
            if part in j and not j[part].get("source") and j[part].keys() != {"name"}:
                fail(name, f"{j['name']}: {part} without source")
            for key, value in (j.get(part) or {}).items():           # every unit must be readable
                if key not in ("source", "law", "name", "inertia"):
                    numbers(value)
        lower, upper = vector(j.get("limits", {}).get("position", [0, 1]))
        if lower >= upper:
            fail(name, f"{j['name']}: empty position range")
    possible = True
    for j, (*_, inertial) in zip(data["joints"], chain.joints):
        if inertial is None:
            continue
        m, _, I = inertial
        second = np.linalg.eigvalsh(.5 * np.trace(I) * np.eye(3) - I)  # all > 0: triangle inequality, strictly
        mass, thin = mass + m, min(thin, np.sign(second[0]) * np.sqrt(abs(second[0]) / m) if m > 0 else -np.inf)
        if m <= 0 or second[0] <= 0:
            possible = False
            if "unphysical" not in data:
                fail(name, f"{j['name']}: impossible body (mass {m}, second moments {second})")
    if possible and "unphysical" in data:
        fail(name, "is marked unphysical but every body exists")
    smallest, reach = np.inf, 0.0
    shoulder = chain.frames(np.zeros(chain.dof))[0][1 if chain.dof > 3 else 0][0]
    for _ in range(60):
        q = chain.somewhere(rng)
        M = chain.mass_matrix(q)
        close(name, "M symmetric", M, M.T, 1e-12)
        smallest = min(smallest, np.linalg.eigvalsh(M)[0])
        reach = max(reach, np.linalg.norm(chain.tip(q)[:3, 3] - shoulder))
    if smallest <= 0:
        fail(name, f"M(q) has eigenvalue {smallest}")
    rest = np.zeros(chain.dof)
    hold = np.max(np.abs([chain.torque(chain.somewhere(rng), rest, rest) for _ in range(200)]), axis=0)
    for h, j in zip(hold, [j for j in data["joints"] if j.get("type") != "fixed"]):
        limit = number(j.get("limits", {}).get("torque", np.inf))
        if h > limit:
            fail(name, f"{j['name']}: gravity alone needs {h:.3g}, the limit is {limit:.3g}")
    print(f"{name:12s} {chain.dof} dof  moving mass {mass:7.3f} kg  thinnest {1e3 * thin:6.1f} mm  reach {reach:.3f} m"
          f"  min eig M {smallest:.2e}  gravity load {np.array2string(hold, precision=1, suppress_small=True)}")
    return name, chain


def main():
    arms = dict(check(path) for path in sorted((ROOT / "arms").glob("*.yaml")))
    against_script(arms)
    against_toolbox(arms)
    if VECTORS.is_dir():
        against_vectors(arms)
    else:
        print("no ../shared/vectors beside the repository: reference vectors skipped")
    for p in problems:
        print("PROBLEM", p)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
