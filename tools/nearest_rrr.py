#!/usr/bin/env python3
"""Link inertias of the RRR arms: arms/rrr.yaml, arms/rrr_printed.yaml, arms/rrr_generic.yaml (needs numpy).

The moments of a link are taken about its joint axis at mid-chain: x' = x + a_j, y, z' = z + d_2 (link 2) or
z + d_2 + d_3 (link 3), with X = int x' dm, S_xz = int x'z' dm and so on. In these the base parameters of
kostic2004 (A4), p_8 corrected, are

    p1 = a2^2 m3 + Sxx2 - Syy2    p2 = -2 Sxy2    p3 = X3     p4 = Y3      p5 = Sxx3 - Syy3
    p6 = 2 Sxy3     p7 = I1 + Syy2 + Szz2 + Syy3 + Szz3       p8 = -Syz3   p9 = -Sxz3
    p10 = -Syz2     p11 = -Sxz2 - a2 Z3     p12 = a2^2 m3 + Sxx2 + Syy2 + Sxx3 + Syy3
    p13 = Sxx3 + Syy3             p14 = X2 + a2 m3            p15 = Y2

Table V has p5 > p13, that is Syy3 < 0: no body. `nearest` finds the body parameters p that minimize

    E |diag(1/tau_nominal) R(q,v,a) (p - p_table)|^2 ,   q uniform on the circle, v and a uniform within the limits,

the mean square torque change in units of the motors' nominal torque, subject to every link being at least
a given thickness (r.m.s. distance of its mass from any plane through its centre). Ours, because no torque shows them or
because they trade against each other without end: the masses, and mean and spread along z' of the mass of links 2, 3.

    python3 tools/nearest_rrr.py            prints the three sets of links and their base parameters
"""
import numpy as np

A2, A3, D2, D3, G = 0.2, 0.415, 0.169, 0.09, 9.8062          # kostic2004 Table II; g of the vectors
TABLE_V = np.array([.2921, -.0142, .17306, 0, .07452, -.0079, .818, -.0116, -.0671, .0062, -.3434, .3947, .044, 1.5541,
                    0])
NOMINAL = np.array([60.0, 30.0, 15.0])                       # N m, kostic2004 IV.A
SPEED = np.pi * np.array([2.0, 3.0, 3.0])                    # rad/s, ours
ACCELERATION = 60.0                                          # rad/s^2, ours
OFFSET = ((0, 0, 0), (A2, 0, D2), (A3, 0, D2 + D3))          # x' = x + offset
GENERIC = np.array([.35, -.2, .3, .12, .2, -.15, 1.5, .12, -.2, .12, -.35, 1.2, .45, 1.2, .2])  # ours: all of one size


def base_parameters(I1, link2, link3):
    """The 15 parameters from (m, first moment, second moment) of links 2 and 3 about the shifted origins."""
    (_, f2, S2), (m3, f3, S3) = link2, link3
    return np.array([A2**2 * m3 + S2[0, 0] - S2[1, 1], -2 * S2[0, 1], f3[0], f3[1], S3[0, 0] - S3[1, 1], 2 * S3[0, 1],
                     I1 + S2[1, 1] + S2[2, 2] + S3[1, 1] + S3[2, 2], -S3[1, 2], -S3[0, 2], -S2[1, 2],
                     -S2[0, 2] - A2 * f3[2], A2**2 * m3 + S2[0, 0] + S2[1, 1] + S3[0, 0] + S3[1, 1],
                     S3[0, 0] + S3[1, 1], f2[0] + A2 * m3, f2[1]])


def regressor(q, v, w):
    """R(q, v, w) of kostic2004 (A5) with r_{3,4} corrected: tau = R p."""
    s2, S, s3 = np.sin([q[1], q[1] + q[2], q[2]])
    c2, C, c3 = np.cos([q[1], q[1] + q[2], q[2]])
    v23, w23 = v[1] + v[2], w[1] + w[2]
    R = np.zeros((3, 15))
    R[0, 0] = w[0] * c2**2 - 2 * v[0] * v[1] * s2 * c2
    R[0, 1] = w[0] * s2 * c2 + v[0] * v[1] * np.cos(2 * q[1])
    R[0, 2] = 2 * A2 * ((w[0] * C - v[0] * v[2] * S) * c2 - v[0] * v[1] * np.sin(2 * q[1] + q[2]))
    R[0, 3] = -2 * A2 * ((w[0] * S + v[0] * v[2] * C) * c2 + v[0] * v[1] * np.cos(2 * q[1] + q[2]))
    R[0, 4] = w[0] * C**2 - 2 * v[0] * v23 * S * C
    R[0, 5] = -w[0] * S * C - v[0] * v23 * np.cos(2 * (q[1] + q[2]))
    R[0, 6] = w[0]
    R[0, 7], R[0, 8] = w23 * C - v23**2 * S, w23 * S + v23**2 * C
    R[0, 9], R[0, 10] = w[1] * c2 - v[1]**2 * s2, w[1] * s2 + v[1]**2 * c2
    R[1, 0], R[1, 1] = v[0]**2 * s2 * c2, -.5 * v[0]**2 * np.cos(2 * q[1])
    R[1, 2] = 2 * A2 * ((w[1] + .5 * w[2]) * c3 - (.5 * v[2]**2 + v[1] * v[2]) * s3
                        + .5 * v[0]**2 * np.sin(2 * q[1] + q[2])) + G * C
    R[1, 3] = 2 * A2 * (-(w[1] + .5 * w[2]) * s3 - (.5 * v[2]**2 + v[1] * v[2]) * c3
                        + .5 * v[0]**2 * np.cos(2 * q[1] + q[2])) - G * S
    R[1:, 4], R[1:, 5] = v[0]**2 * S * C, .5 * v[0]**2 * np.cos(2 * (q[1] + q[2]))
    R[1:, 7], R[1:, 8] = w[0] * C, w[0] * S
    R[1, 9], R[1, 10], R[1, 11], R[1, 12], R[1, 13], R[1, 14] = w[0] * c2, w[0] * s2, w[1], w[2], G * c2, -G * s2
    R[2, 2] = A2 * ((.5 * v[0]**2 + v[1]**2) * s3 + c3 * w[1] + .5 * v[0]**2 * np.sin(2 * q[1] + q[2])) + G * C
    R[2, 3] = A2 * ((.5 * v[0]**2 + v[1]**2) * c3 - s3 * w[1] + .5 * v[0]**2 * np.cos(2 * q[1] + q[2])) - G * S
    R[2, 12] = w23
    return R


def torque_metric(samples=20000):
    """W with |W dp|^2 = mean square of the torque change per nominal torque, summed over the joints."""
    rng = np.random.default_rng(1)
    H = np.zeros((15, 15))
    for _ in range(samples):
        R = regressor(rng.uniform(-np.pi, np.pi, 3), rng.uniform(-SPEED, SPEED),
                      rng.uniform(-ACCELERATION, ACCELERATION, 3)) / NOMINAL[:, None]
        H += R.T @ R / samples
    return np.linalg.cholesky(H).T


# The unknowns are linear: I1, then (X, Y, Z, Sxx, Syy, Szz, Sxy, Sxz, Syz) of link 2 and of link 3.
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def bodies(u, mass):
    links = []
    for m, v in zip(mass[1:], (u[1:10], u[10:19])):
        S = np.zeros((3, 3))
        for (i, j), s in zip(PAIRS, v[3:]):
            S[i, j] = S[j, i] = s
        links.append((m, v[:3].copy(), S))
    return u[0], links[0], links[1]


def pseudo_inertia(m, f, S, thickness):
    """Positive definite exactly when the body exists and is thicker than `thickness` everywhere."""
    return np.block([[S - m * thickness**2 * np.eye(3), f[:, None]], [f[None, :], np.array([[m]])]])


def nearest(target, W, mass, height, spread, thickness, symmetric):
    """min |W (p(u) - target)|^2 over bodies, by Newton steps along the central path of the log det barrier (convex)."""
    fixed = {2: 0.0, 11: 0.0} if symmetric else {}                                      # Y2 = Y3 = 0
    for k, m, h, s in zip((3, 12), mass[1:], height, spread):
        fixed |= {k: m * h, k + 3: m * (h**2 + s**2)}                                   # Z and Szz of links 2 and 3
    free = np.array([k for k in range(19) if k not in fixed])
    start = np.array([fixed.get(k, 0.0) for k in range(19)])
    at = [start] + [start + e for e in np.eye(19)[free]]
    p = [base_parameters(*bodies(u, mass)) for u in at]
    A, r0 = W @ (np.array(p[1:]) - p[0]).T, W @ (p[0] - target)
    cones = []
    for link in (1, 2):
        C = [pseudo_inertia(*bodies(u, mass)[link], thickness) for u in at]
        cones.append((C[0], np.array(C[1:]) - C[0]))

    def barrier(x):
        value = 0.0
        for C0, E in cones:
            eigenvalues = np.linalg.eigvalsh(C0 + np.tensordot(x, E, 1))
            if eigenvalues[0] <= 0:
                return np.inf
            value -= np.sum(np.log(eigenvalues))
        return value

    x, mu = np.where(np.isin(free, (0, 4, 5, 13, 14)), 1.0, 0.0), 1.0
    while mu > 1e-12:
        for _ in range(60):
            g, H = 2 * A.T @ (A @ x + r0), 2 * A.T @ A
            for C0, E in cones:
                F = np.linalg.inv(C0 + np.tensordot(x, E, 1)) @ E
                g = g - mu * np.trace(F, axis1=1, axis2=2)
                H = H + mu * np.einsum("aij,bji->ab", F, F)
            step, t = -np.linalg.solve(H, g), 1.0
            cost = lambda y: np.sum((A @ y + r0)**2) + mu * barrier(y)
            while cost(x + t * step) > cost(x) + 1e-4 * t * g @ step and t > 1e-10:
                t /= 2
            x = x + t * step
            if -g @ step < 1e-9 * mu:
                break
        mu /= 4
    u = start.copy()
    u[free] = x
    return bodies(u, mass)


def in_link_frame(m, f, S, offset):
    """Mass, centre of mass and inertia tensor about it, in the DH frame at the link's far end."""
    c = f / m
    C = S - m * np.outer(c, c)
    return m, c - np.array(offset), np.trace(C) * np.eye(3) - C


def column(I1, mass):
    """Link 1 only turns about the vertical: an isotropic body on the axis will do."""
    return mass, np.zeros(3), I1 * np.eye(3)


def rounded(links, digits=6):
    return [(m, np.round(c, 5), np.round(I, digits)) for m, c, I in links]


def moments(link, offset):
    """Inverse of in_link_frame."""
    m, c, I = link
    C = .5 * np.trace(I) * np.eye(3) - I
    c = c + np.array(offset)
    return m, m * c, C + m * np.outer(c, c)


def parameters_of(links):
    return base_parameters(links[0][2][1, 1], moments(links[1], OFFSET[1]), moments(links[2], OFFSET[2]))


def show(name, links, target, W):
    p = parameters_of(links)
    print(f"== {name}")
    for i, (m, c, I) in enumerate(links, 1):
        thin = np.sqrt(np.linalg.eigvalsh(.5 * np.trace(I) * np.eye(3) - I)[0] / m)
        com = ", ".join(f"{1e3 * x:.6g} mm" for x in c)
        print(f"link {i}: mass {m:g} kg, com [{com}], thinnest {1e3 * thin:.2f} mm")
        print(f"  inertia: {{about: com, xx: {I[0, 0]:.10g}, yy: {I[1, 1]:.10g}, zz: {I[2, 2]:.10g}, "
              f"xy: {I[0, 1]:.10g}, xz: {I[0, 2]:.10g}, yz: {I[1, 2]:.10g}}}")
    print("base parameters", np.array2string(p, precision=6, max_line_width=160))
    print("minus target   ", np.array2string(p - target, precision=6, suppress_small=True, max_line_width=160))
    print(f"r.m.s. torque change / nominal torque, all joints together: {np.linalg.norm(W @ (p - target)):.5f} "
          f"(the target itself: {np.linalg.norm(W @ target):.3f})")


def printed(p, mass, height, spread):
    """Table V itself as standard parameters: mass, first moment and inertia about the link frame's origin."""
    (_, m2, m3), (z2, z3), (s2, s3) = mass, height, spread
    Sxx3, Syy3, Szz3 = (p[12] + p[4]) / 2, (p[12] - p[4]) / 2, m3 * (z3**2 + s3**2)
    S3 = np.array([[Sxx3, p[5] / 2, -p[8]], [p[5] / 2, Syy3, -p[7]], [-p[8], -p[7], Szz3]])
    total, difference = p[11] - p[12] - A2**2 * m3, p[0] - A2**2 * m3
    Sxx2, Syy2, Szz2 = (total + difference) / 2, (total - difference) / 2, m2 * (z2**2 + s2**2)
    Sxz2 = -p[10] - A2 * m3 * z3
    S2 = np.array([[Sxx2, -p[1] / 2, Sxz2], [-p[1] / 2, Syy2, -p[9]], [Sxz2, -p[9], Szz2]])
    f2, f3 = np.array([p[13] - A2 * m3, p[14], m2 * z2]), np.array([p[2], p[3], m3 * z3])
    I1 = p[6] - Syy2 - Szz2 - Syy3 - Szz3
    assert np.allclose(base_parameters(I1, (m2, f2, S2), (m3, f3, S3)), p, rtol=0, atol=1e-15)
    print(f"== rrr_printed\nlink 1: mass {mass[0]:g} kg, isotropic inertia {I1:.12g}")
    for i, (m, f, S) in enumerate(((m2, f2, S2), (m3, f3, S3)), 2):
        o = np.array(OFFSET[i - 1])
        S = S - np.outer(o, f) - np.outer(f, o) + m * np.outer(o, o)
        I, f = np.trace(S) * np.eye(3) - S, f - m * o
        print(f"link {i}: mass {m:g} kg, first_moment [{', '.join(f'{x:.12g} kg*m' for x in f)}]")
        print(f"  inertia: {{about: origin, xx: {I[0, 0]:.12g}, yy: {I[1, 1]:.12g}, zz: {I[2, 2]:.12g}, "
              f"xy: {I[0, 1]:.12g}, xz: {I[0, 2]:.12g}, yz: {I[1, 2]:.12g}}}")


OURS = (12.0, 8.0, 1.0), (.20, .32), (.08, .15)                  # masses, heights, spreads


def solve(target, W, mass, height, spread, thickness, symmetric, digits):
    I1, l2, l3 = nearest(target, W, mass, height, spread, thickness, symmetric)
    return rounded([column(I1, mass[0]), in_link_frame(*l2, OFFSET[1]), in_link_frame(*l3, OFFSET[2])], digits)


def rrr(W):
    return solve(TABLE_V, W, *OURS, .010, True, 6)


def rrr_generic(W):
    return solve(GENERIC, W, (12.0, 8.0, 2.5), (.20, .26), (.20, .30), .030, False, 4)


def main():
    W = torque_metric()
    show("rrr", rrr(W), TABLE_V, W)
    printed(TABLE_V, *OURS)
    show("rrr_generic", rrr_generic(W), GENERIC, W)


if __name__ == "__main__":
    main()
