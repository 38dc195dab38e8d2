"""Plots as SVG: axes with quantity and unit, curves, points with bars, areas; the legend stands above the picture, never in it."""
import math

COLOURS = {"other": "#8a94a0", "own": "#d1492e", "third": "#3577b8", "fourth": "#c79211"}
STYLE = """<style>
text{font:12px sans-serif;fill:#444}.paper{fill:#fff}.grid{stroke:#e4e4e4}.zero{stroke:#888;fill:#888}.truth{stroke:#222;fill:#222}.shade{fill:#f6dfd9}
@media (prefers-color-scheme: dark){text{fill:#bcc5cf}.paper{fill:#14181e}.grid{stroke:#2c353f}.zero{stroke:#78838f;fill:#78838f}.truth{stroke:#eee;fill:#eee}.shade{fill:#45241d}}
</style>"""
WIDTH, RIGHT, BOTTOM, ROW = 640, 14, 46, 20


def text_width(text):
    """Of 12 px sans-serif, on the safe side."""
    return 6.6 * len(text)


def number(value):
    return f"{value:.6g}".replace("-", "−")


def power(exponent):
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


class Axis:
    """Along which something is drawn: numbers between low and high (evenly, or by their logarithms), or names."""

    def __init__(self, label, low=0.0, high=1.0, log=False, names=None, unit="", marks=None):
        self.label, self.log, self.names, self.unit, self.marks = label, log, names, unit, marks
        self.low, self.high = (0, len(names)) if names else (low, high)

    def place(self, value):
        """0 at the low end, 1 at the high end; what lies outside is at the end."""
        if self.names:
            return (value + 0.5) / len(self.names)
        f = math.log10 if self.log else float
        return min(1.0, max(0.0, (f(value) - f(self.low)) / (f(self.high) - f(self.low))))

    def ticks(self, wanted):
        if self.names:
            return [(k, name) for k, name in enumerate(self.names)]
        if self.marks:
            return [(v, number(v) + self.unit) for v in self.marks]
        if self.log:
            powers = range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1)
            if len(powers) > 5:
                return [(10.0**p, power(p) + self.unit) for p in powers]
            marks = (1, 2, 5) if len(powers) < 3 else (1,)
            values = [m * 10.0**p for p in range(powers.start - 1, powers.stop + 1) for m in marks]
            return [(v, number(v) + self.unit) for v in values if self.low * (1 - 1e-9) <= v <= self.high * (1 + 1e-9)]
        raw = (self.high - self.low) / wanted
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [(k * step, number(k * step) + self.unit) for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


class Plot:
    """Parts are drawn in the order in which they are added. A colour is one of COLOURS, or `truth`."""

    def __init__(self, x, y, caption="", height=250):
        self.x, self.y, self.caption, self.height = x, y, caption, height
        self.parts, self.legend = [], []
        self.left = 34 + max(text_width(text) for _, text in y.ticks(7))
        self.top = None

    def named(self, label, colour, mark):
        if label:
            self.legend.append((label, colour, mark))

    def area(self, label, corners):
        self.named(label, "shade", "area")
        self.parts.append(lambda: f'<polygon class="shade" points="{self.path(corners)}"/>')

    def curve(self, label, colour, points, dashed=False, width=1.6):
        """A wide one shows beside a narrow one that is drawn over it."""
        self.named(label, colour, "dashed" if dashed else "curve")
        self.parts.append(lambda: f'<polyline points="{self.path(points)}" {self.stroke(colour, dashed, width)}/>')

    def points(self, label, colour, points, radius=3.4, shift=0.0):
        """(x, y), or (x, y, low, high) with a bar; shifted sideways by some pixels."""
        self.named(label, colour, "point")
        for x, y, *ends in points:
            if ends:
                self.parts.append(lambda x=x, ends=ends: self.bar(colour, x, ends, shift))
            self.parts.append(lambda x=x, y=y: f'<circle cx="{self.at_x(x) + shift:.1f}" cy="{self.at_y(y):.1f}" r="{radius}" {self.fill(colour)}/>')

    def at_x(self, value):
        return self.left + (WIDTH - self.left - RIGHT) * self.x.place(value)

    def at_y(self, value):
        return self.height - BOTTOM - (self.height - BOTTOM - self.top) * self.y.place(value)

    def path(self, points):
        return " ".join(f"{self.at_x(x):.1f},{self.at_y(y):.1f}" for x, y in points)

    def bar(self, colour, x, ends, shift):
        at = self.at_x(x) + shift
        return f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{self.at_y(ends[0]):.1f}" y2="{self.at_y(ends[1]):.1f}" {self.stroke(colour, False)}/>'

    @staticmethod
    def fill(colour):
        return f'fill="{COLOURS[colour]}"' if colour in COLOURS else f'class="{colour}"'

    @staticmethod
    def stroke(colour, dashed, width=1.6):
        paint = f'stroke="{COLOURS[colour]}"' if colour in COLOURS else f'class="{colour}"'
        return f'{paint} style="fill:none" stroke-width="{width}"' + (' stroke-dasharray="5 4"' if dashed else "")

    def head(self):
        """The legend, and the caption behind it or on a line of its own."""
        out, at, row = [], self.left, 0
        for label, colour, mark in self.legend:
            wide = 14 if mark == "point" else 26
            if at + wide + text_width(label) > WIDTH - RIGHT:
                at, row = self.left, row + 1
            y = 14 + ROW * row
            out.append({"point": f'<circle cx="{at + 5:.1f}" cy="{y}" r="4" {self.fill(colour)}/>',
                        "area": f'<rect x="{at:.1f}" y="{y - 6}" width="20" height="12" class="shade"/>'}.get(
                mark, f'<line x1="{at:.1f}" x2="{at + 20:.1f}" y1="{y}" y2="{y}" {self.stroke(colour, mark == "dashed")}/>'))
            out.append(f'<text x="{at + wide:.1f}" y="{y + 4}">{label}</text>')
            at += wide + text_width(label) + 16
        if self.caption and self.legend and at + text_width(self.caption) > WIDTH - RIGHT:
            row += 1
        if self.caption:
            out.append(f'<text x="{WIDTH - RIGHT}" y="{18 + ROW * row}" text-anchor="end">{self.caption}</text>')
        self.top = 34 + ROW * row
        return out

    def frame(self):
        out = []
        for value, text in self.y.ticks(7):
            y = self.at_y(value)
            out.append(f'<line x1="{self.left:.1f}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="{"zero" if value == 0 else "grid"}"/>'
                       f'<text x="{self.left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        for value, text in self.x.ticks(8):
            x = self.at_x(value)
            if not self.x.names:
                out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{self.top}" y2="{self.height - BOTTOM}" class="{"zero" if value == 0 else "grid"}"/>')
            out.append(f'<text x="{x:.1f}" y="{self.height - BOTTOM + 16}" text-anchor="middle">{text}</text>')
        middle, foot = (self.top + self.height - BOTTOM) / 2, (self.left + WIDTH - RIGHT) / 2
        out.append(f'<text x="14" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 14 {middle:.1f})">{self.y.label}</text>')
        out.append(f'<text x="{foot:.1f}" y="{self.height - 10}" text-anchor="middle">{self.x.label}</text>')
        return out

    def svg(self):
        head = self.head()  # first: it says where the picture begins
        shades = [part() for part in self.parts]
        first = [s for s in shades if s.startswith("<polygon")]
        lines = [*head, *first, *self.frame(), *(s for s in shades if not s.startswith("<polygon"))]
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}">{STYLE}<rect width="100%" height="100%" class="paper"/>\n'
                + "\n".join(lines) + "\n</svg>\n")


def around(values, room=0.08):
    """Low and high end of an axis on which all values have room."""
    low, high = min(values), max(values)
    return low - room * (high - low), high + room * (high - low)


def errors(names, series, caption):
    """Names along x; at each a point with its bar of every series: (label, colour, [(error, low, high) in percent])."""
    top = 1.1 * max(abs(v) for _, _, values in series for value in values for v in value)
    plot = Plot(Axis("parameter", names=names), Axis("error", -top, top, unit=" %"), caption)
    for j, (name, colour, values) in enumerate(series):
        plot.points(name, colour, [(k, *v) for k, v in enumerate(values)], shift=8 * (j - (len(series) - 1) / 2))
    return plot.svg()
