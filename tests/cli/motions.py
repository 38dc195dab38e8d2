"""Logs of smooth motions with the torques that the program itself computes, for tests of the verbs that read logs."""
import csv
import io
import math

from program import ProgramTest

RATE, SECONDS = 100, 20
SPEEDS = [[0.5, 0.9, 1.3], [0.4, 1.1, 0.7], [0.8, 0.6, 1.5]]


def states(joints, sliding=(), resting=()):
    """Time, positions, velocities and accelerations of a smooth motion."""
    rows = []
    for k in range(RATE * SECONDS + 1):
        t = k / RATE
        q, v, a = [], [], []
        for j in range(joints):
            scale = 0.15 if j in sliding else 1.0
            if j in resting:
                q.append(0.3), v.append(0.0), a.append(0.0)
                continue
            parts = [(0.45 * scale / w, w, 1.3 * i + 0.7 * j) for i, w in enumerate(SPEEDS[j % 3][i] * (1 + 0.13 * j) * 2 for i in range(3))]
            q.append(sum(c * math.sin(w * t + p) for c, w, p in parts))
            v.append(sum(c * w * math.cos(w * t + p) for c, w, p in parts))
            a.append(sum(-c * w * w * math.sin(w * t + p) for c, w, p in parts))
        rows.append((t, q, v, a))
    return rows


class Logs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.header, self.rows = self.log_of("rrr", 3)

    def log_of(self, arm, joints, sliding=(), resting=()):
        motion = states(joints, sliding, resting)
        names = [f"{x}{j + 1}" for x in "qva" for j in range(joints)]
        text = ",".join(names) + "\n" + "\n".join(",".join(repr(x) for group in row[1:] for x in group) for row in motion) + "\n"
        answer = self.done("compute", "inverse-dynamics", arm, "--in", "-", "--out", "-", "--with", "friction,rotor", text=text)
        torques = list(csv.DictReader(io.StringIO(answer.out)))
        header = ["time [s]"] + [f"q{j + 1} [rad]" for j in range(joints)] + [f"tau{j + 1} [N m]" for j in range(joints)]
        for j in sliding:
            header[1 + j], header[1 + joints + j] = f"q{j + 1} [m]", f"tau{j + 1} [N]"
        noise = 12345
        rows = []
        for (t, q, _, _), tau in zip(motion, torques):
            values = []
            for j in range(joints):
                noise = (noise * 1103515245 + 12345) % 2**31  # a little noise, the same every time
                values.append(float(tau[f"tau{j + 1}"]) + 0.02 * (noise / 2**30 - 1))
            rows.append([t, *q, *values])
        return header, rows

    def write(self, header, rows, name="log.csv"):
        path = self.folder / name
        path.write_text(",".join(header) + "\n" + "\n".join(",".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows) + "\n")
        return path
