"""An arm in a notebook: a moving stick figure (SVG that needs neither scripts nor a network) and a table of its joints."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, List

import numpy as np

if TYPE_CHECKING:
    from ._arm import Arm

FRAMES = 40  #: of the motion
SECONDS = 6  #: that it takes
WIDTH, HEIGHT = 420, 320  #: [px]


def sweep(arm: "Arm") -> Any:
    """(FRAMES, n): a closed motion of all joints within their limits, each at a phase of its own."""
    limits = arm.limits
    bounded = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    middle = np.where(bounded, (np.where(bounded, limits.lower, 0) + np.where(bounded, limits.upper, 0)) / 2, 0.0)
    reach = np.where(bounded, (np.where(bounded, limits.upper, 0) - np.where(bounded, limits.lower, 0)) / 2, np.inf)
    size = np.minimum(0.8 * reach, np.where(arm.slides, 0.15, 0.7))
    phase = 2 * np.pi * (np.arange(FRAMES)[:, None] / FRAMES + np.arange(arm.dof) / max(arm.dof, 1))
    return middle + size * np.sin(phase)


def seen(points: Any) -> Any:
    """Points (..., 3) [m] as they look from the front, a little to the right and above: (..., 2), right and up."""
    turn, tilt = np.deg2rad(35), np.deg2rad(20)
    x, y, z = np.moveaxis(points, -1, 0)
    right, depth = np.cos(turn) * y - np.sin(turn) * x, np.cos(turn) * x + np.sin(turn) * y
    return np.stack([right, np.cos(tilt) * z - np.sin(tilt) * depth], -1)


def svg(arm: "Arm") -> str:
    """The moving figure."""
    q = sweep(arm)
    places = [np.zeros((FRAMES, 3)), *(arm.forward_kinematics(q, frame=link).position for link in arm.link_names),
              arm.forward_kinematics(q).position]
    view = seen(np.stack(places, 1))  # (FRAMES, points, 2)
    low, high = view.min((0, 1)), view.max((0, 1))
    scale = 0.86 * min(WIDTH / max(high[0] - low[0], 1e-3), HEIGHT / max(high[1] - low[1], 1e-3))
    pixels = (view - (low + high) / 2) * [scale, -scale] + [WIDTH / 2, HEIGHT / 2]

    def line(points: Any) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)

    def moving(attribute: str, values: List[str]) -> str:
        return f'<animate attributeName="{attribute}" dur="{SECONDS}s" repeatCount="indefinite" values="{";".join([*values, values[0]])}"/>'

    links = [line(frame) for frame in pixels]
    joints = "".join(
        f'<circle r="4" fill="#fff" stroke="#1f5fa8" stroke-width="2" cx="{pixels[0, k, 0]:.1f}" cy="{pixels[0, k, 1]:.1f}">'
        + moving("cx", [f"{x:.1f}" for x in pixels[:, k, 0]]) + moving("cy", [f"{y:.1f}" for y in pixels[:, k, 1]]) + "</circle>"
        for k in range(1, pixels.shape[1] - 1))
    base = pixels[0, 0]
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="the arm, moving">'
            f'<ellipse cx="{base[0]:.1f}" cy="{base[1]:.1f}" rx="26" ry="9" fill="#8884"/>'
            f'<polygon points="{line(pixels[:, -1])}" fill="none" stroke="#e07b39" stroke-dasharray="3 3"/>'
            f'<polyline points="{links[0]}" fill="none" stroke="#1f5fa8" stroke-width="7" stroke-linejoin="round" stroke-linecap="round">'
            f"{moving('points', links)}</polyline>{joints}</svg>")


def table(arm: "Arm") -> str:
    """The joints with their limits."""
    limits = arm.limits
    rows = []
    for k, name in enumerate(arm.joint_names):
        slides = bool(arm.slides[k])
        unit, factor, torque = ("mm", 1e3, "N") if slides else ("°", 180 / np.pi, "N m")

        def text(value: float, scale: float, what: str) -> str:
            return f"{value * scale:.4g} {what}" if np.isfinite(value) else "–"

        cells = [html.escape(name), "slides" if slides else "turns", text(limits.lower[k], factor, unit), text(limits.upper[k], factor, unit),
                 text(limits.velocity[k], factor, unit + "/s"), text(limits.torque[k], 1, torque)]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{word}</th>" for word in ("joint", "", "from", "to", "velocity", "torque"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def arm_html(arm: "Arm") -> str:
    """The arm, moving, beside its joints."""
    return (f'<div style="display:flex;flex-wrap:wrap;gap:24px;align-items:center">{svg(arm)}'
            f"<div><b>{html.escape(arm.name)}</b>, {arm.dof} joints{table(arm)}</div></div>")
