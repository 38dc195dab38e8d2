// A chart as SVG: lines, points, bars, intervals, bands; linear, logarithmic or named axes. The picture carries its own colours,
// so what is saved looks like what was seen.
import {s} from './dom';
import {logTicks, short, superscript, tickLabels, ticks, withUnit} from './numbers';
import {colour, css, dashes, round} from './theme';

export interface Axis {
  label: string;
  unit: string;
  log?: boolean;
  categories?: string[];
  low?: number;
  high?: number;
  ticks?: number[];
}
export interface Series {
  name: string;
  hue: number;
  style: 'line' | 'points' | 'both' | 'bars';
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  low?: ArrayLike<number>;
  high?: ArrayLike<number>;
  dash?: boolean;
  thin?: boolean;
}
export interface ChartSpec {
  x: Axis;
  y: Axis;
  series: Series[];
  equal?: boolean;
  title?: string;
  legend?: boolean;
  bare?: boolean;
  left?: number;
}

/** A drawn chart, and how its numbers lie on it. */
export interface Chart {
  svg: SVGSVGElement;
  left: number;
  right: number;
  top: number;
  bottom: number;
  xAt(x: number): number;
  yAt(y: number): number;
  range: {x: [number, number]; y: [number, number]};
}

function extent(values: ArrayLike<number>[], log?: boolean): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const list of values)
    for (let i = 0; i < list.length; ++i) {
      const v = list[i];
      if (!Number.isFinite(v) || (log && v <= 0)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low <= high ? [low, high] : log ? [0.1, 10] : [0, 1];
}

function widened([low, high]: [number, number], log: boolean | undefined, share: number): [number, number] {
  if (log) {
    if (high / low < 1.0001) return [low / 2, high * 2];
    const grow = (high / low) ** share;
    return [low / grow, high * grow];
  }
  if (high === low) {
    const d = Math.abs(low) * 0.1 || 1;
    return [low - d, high + d];
  }
  return [low - share * (high - low), high + share * (high - low)];
}

const textWidth = (text: string, size: number) => [...text].reduce((w, c) => w + ('il.,·|t[]() '.includes(c) ? 0.4 : 0.65), 0) * size;

const brief = (name: string) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

export function chart(spec: ChartSpec, width: number, height: number): Chart {
  const {x: ax, y: ay} = spec;
  const ink = css('ink'),
    muted = css('muted'),
    grid = css('grid'),
    font = 11.5;
  const bars = spec.series.some(q => q.style === 'bars');
  let xr = ax.categories
    ? ([0.5, ax.categories.length + 0.5] as [number, number])
    : extent(
        spec.series.map(q => q.x),
        ax.log,
      );
  let yr = extent(
    spec.series.flatMap(q => [q.y, q.low ?? [], q.high ?? []]),
    ay.log,
  );
  const pointy = spec.series.some(q => q.style !== 'line');
  if (!ax.categories) xr = widened(xr, ax.log, pointy || spec.equal ? 0.03 : 0);
  if (bars && !ay.log) yr = [Math.min(0, yr[0]), Math.max(0, yr[1])];
  yr = ay.categories ? [0.5, ay.categories.length + 0.5] : widened(yr, ay.log, 0.06);
  if (ax.low !== undefined) xr[0] = ax.low;
  if (ax.high !== undefined) xr[1] = ax.high;
  if (ay.low !== undefined) yr[0] = ay.low;
  if (ay.high !== undefined) yr[1] = ay.high;

  // Legend of a saved picture, in rows.
  const named = spec.legend ? spec.series.filter(q => q.name) : [];
  let legendRows = named.length ? 1 : 0,
    run = 0;
  const legendAt = named.map(q => {
    const w = textWidth(q.name, font) + 34;
    if (run + w > width - 60 && run > 0) ((run = 0), ++legendRows);
    const at = {x: run, row: legendRows - 1};
    run += w;
    return at;
  });
  const titleHeight = spec.title ? 22 : 0;
  const top = spec.bare ? 4 : 10 + titleHeight + legendRows * 17,
    pad = spec.bare ? 4 : ax.log || ax.categories ? 20 : 16;

  const tick = (axis: Axis, [low, high]: [number, number], count: number) => {
    if (axis.categories)
      return axis.categories.map((label, i) => ({at: i + 1, label: brief(label), major: true})).filter(t => t.at >= low && t.at <= high);
    if (axis.log) {
      const all = logTicks(low, high),
        decades = all.filter(t => t.major).length;
      const every = Math.ceil(decades / Math.max(2, count));
      return all.map(t => ({
        ...t,
        label:
          t.major && Math.round(Math.log10(t.at)) % every === 0
            ? t.at >= 1e-3 && t.at <= 1e4
              ? String(t.at)
              : `10${superscript(Math.round(Math.log10(t.at)))}`
            : decades < 2 && [2, 5].includes(Math.round(t.at / 10 ** Math.floor(Math.log10(t.at) + 1e-9)))
              ? short(t.at, 2)
              : '',
      }));
    }
    const asked = axis.ticks?.filter(v => v >= low && v <= high) ?? [];
    const at = asked.length > 1 ? asked : ticks(low, high, count),
      labels = tickLabels(at); // one number is no scale
    return at.map((v, i) => ({at: v, label: labels[i], major: true}));
  };
  const yTicksFirst = tick(ay, yr, Math.max(2, Math.floor((height - top) / 45)));
  const longest = Math.max(0, ...yTicksFirst.map(t => textWidth(t.label, font)));
  let left = spec.left ?? (spec.bare ? 4 : Math.min(width * 0.45, 12 + longest + (ay.label || ay.unit ? 18 : 4)));
  const right = width - pad;
  // Names that are longer than their slot stand obliquely; the picture grows by what they need below and on the left.
  const nameWidths = (spec.bare ? [] : (ax.categories ?? [])).map(c => textWidth(brief(c), font));
  const oblique = nameWidths.length > 0 && Math.max(...nameWidths) > (right - left) / nameWidths.length - 4;
  const slope = Math.PI / 3;
  const overhang = (from: number) =>
    Math.max(0, ...nameWidths.map((w, i) => w * Math.cos(slope) - (from + ((right - from) * (i + 0.5)) / nameWidths.length)));
  for (let pass = 0; pass < 8 && oblique && overhang(left) > 0 && left < width * 0.45; ++pass) left += overhang(left) + 2;
  const slots = ax.categories ? (right - left) / ax.categories.length : 0;
  const names = oblique ? Math.max(...nameWidths) * Math.sin(slope) : 0;
  const below = spec.bare ? 4 : 20 + (ax.label || ax.unit ? 17 : 0) + names;
  height += Math.max(0, names - 60); // short names find room in the figure as it is
  const bottom = height - below;

  if (spec.equal) {
    // a metre is as long along both axes
    const perX = (xr[1] - xr[0]) / (right - left),
      perY = (yr[1] - yr[0]) / (bottom - top),
      per = Math.max(perX, perY);
    const grow = (r: [number, number], pixels: number): [number, number] => {
      const middle = (r[0] + r[1]) / 2,
        half = (per * pixels) / 2;
      return [middle - half, middle + half];
    };
    ((xr = grow(xr, right - left)), (yr = grow(yr, bottom - top)));
  }
  const scale =
    (axis: Axis, [low, high]: [number, number], from: number, to: number) =>
    (v: number) =>
      axis.log ? from + ((to - from) * Math.log(v / low)) / Math.log(high / low) : from + ((to - from) * (v - low)) / (high - low);
  const xAt = scale(ax, xr, left, right),
    yAt = scale(ay, yr, bottom, top);
  const put = (v: number) => Math.round(v * 100) / 100;

  const svg = s('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
    'font-size': font,
  });
  const clip = `clip${++count}`;
  svg.append(
    s('defs', {}, s('clipPath', {id: clip}, s('rect', {x: left - 1, y: top - 4, width: right - left + 2, height: bottom - top + 8}))),
  );
  if (spec.title)
    svg.append(s('title', {}, spec.title), s('text', {x: left, y: 20, fill: ink, 'font-weight': 600, 'font-size': 13}, spec.title));
  named.forEach((q, i) => {
    const y = 12 + titleHeight + legendAt[i].row * 17,
      x0 = left + legendAt[i].x;
    svg.append(
      s('line', {
        x1: x0,
        x2: x0 + 18,
        y1: y,
        y2: y,
        stroke: colour(q.hue),
        'stroke-width': 2,
        'stroke-dasharray': dashes(q.hue, q.dash)?.join(' '),
      }),
      s('text', {x: x0 + 23, y: y + 4, fill: ink}, q.name),
    );
  });

  if (!spec.bare) {
    const xTicks = tick(ax, xr, Math.max(2, Math.floor((right - left) / 80)));
    const yTicks = tick(ay, yr, Math.max(2, Math.floor((bottom - top) / 45)));
    for (const t of xTicks) {
      const x = put(xAt(t.at));
      if (!ax.categories) svg.append(s('line', {x1: x, x2: x, y1: top, y2: bottom, stroke: grid, 'stroke-width': t.major ? 1 : 0.5}));
      if (!t.label) continue;
      svg.append(
        oblique
          ? s(
              'text',
              {
                class: 'tick x',
                fill: muted,
                'text-anchor': 'end',
                transform: `translate(${x + 4} ${bottom + 12}) rotate(${(-slope * 180) / Math.PI})`,
              },
              t.label,
            )
          : s('text', {class: 'tick x', x, y: bottom + 16, fill: muted, 'text-anchor': 'middle'}, t.label),
      );
    }
    for (const t of yTicks) {
      const y = put(yAt(t.at));
      svg.append(s('line', {x1: left, x2: right, y1: y, y2: y, stroke: grid, 'stroke-width': t.major ? 1 : 0.5}));
      if (t.label) svg.append(s('text', {class: 'tick y', x: left - 7, y: y + 4, fill: muted, 'text-anchor': 'end'}, t.label));
    }
    if (yr[0] < 0 && yr[1] > 0 && !ay.log)
      svg.append(s('line', {x1: left, x2: right, y1: put(yAt(0)), y2: put(yAt(0)), stroke: muted, 'stroke-width': 0.75}));
    const xLabel = withUnit(ax.label, ax.unit),
      yLabel = withUnit(ay.label, ay.unit);
    if (xLabel) svg.append(s('text', {x: (left + right) / 2, y: height - 5, fill: ink, 'text-anchor': 'middle'}, xLabel));
    if (yLabel) {
      // along the axis, all of it within the picture
      const size = Math.min(font, (font * (height - 4)) / textWidth(yLabel, font)),
        half = textWidth(yLabel, size) / 2;
      const middle = Math.max(half + 2, Math.min(height - half - 2, (top + bottom) / 2));
      svg.append(
        s('text', {fill: ink, 'font-size': size, 'text-anchor': 'middle', transform: `translate(13 ${middle}) rotate(-90)`}, yLabel),
      );
    }
  }

  const body = s('g', {'clip-path': `url(#${clip})`});
  const barSets = spec.series.filter(q => q.style === 'bars').length;
  let barSet = 0;
  for (const q of spec.series) {
    const c = colour(q.hue),
      n = Math.min(q.x.length, q.y.length),
      strokeWidth = q.thin ? 1 : spec.bare ? 1.3 : 1.7;
    const seen = (i: number) => Number.isFinite(q.x[i]) && Number.isFinite(q.y[i]) && !(ax.log && q.x[i] <= 0) && !(ay.log && q.y[i] <= 0);
    const interval = (i: number) => q.low && q.high && Number.isFinite(q.low[i]) && Number.isFinite(q.high[i]);
    if (q.low && q.high && q.style === 'line') {
      // a band
      let forth = '',
        back = '';
      for (let i = 0; i < n; ++i) {
        if (!seen(i) || !interval(i)) continue;
        const lowest = ay.log ? Math.max(q.low[i], yr[0]) : q.low[i];
        forth += `${forth ? 'L' : 'M'}${put(xAt(q.x[i]))} ${put(yAt(q.high[i]))}`;
        back = `L${put(xAt(q.x[i]))} ${put(yAt(lowest))}` + back;
      }
      if (forth) body.append(s('path', {d: forth + back + 'Z', fill: c, opacity: 0.18}));
    }
    if (q.style === 'line' || q.style === 'both') {
      let d = '',
        pen = false;
      for (let i = 0; i < n; ++i) {
        if (!seen(i)) {
          pen = false;
          continue;
        }
        d += `${pen ? 'L' : 'M'}${put(xAt(q.x[i]))} ${put(yAt(q.y[i]))}`;
        pen = true;
      }
      body.append(
        s('path', {
          d,
          fill: 'none',
          stroke: c,
          'stroke-width': strokeWidth,
          'stroke-linejoin': 'round',
          'stroke-dasharray': dashes(q.hue, q.dash)?.join(' '),
        }),
      );
    }
    if (q.style === 'bars') {
      const gap = ax.categories ? Math.abs(xAt(2) - xAt(1)) : (right - left) / Math.max(1, n);
      const w = Math.min(42, (gap * 0.72) / barSets),
        shift = (barSet - (barSets - 1) / 2) * w;
      for (let i = 0; i < n; ++i)
        if (seen(i)) {
          const y0 = yAt(ay.log ? yr[0] : 0),
            y1 = yAt(q.y[i]);
          body.append(
            s('rect', {
              x: put(xAt(q.x[i]) + shift - w / 2 + 0.5),
              y: put(Math.min(y0, y1)),
              width: put(Math.max(1, w - 1)),
              height: put(Math.max(0.5, Math.abs(y1 - y0))),
              fill: c,
              opacity: 0.85 / (1 + round(q.hue)),
              rx: 1,
            }),
          );
        }
      ++barSet;
    }
    if (q.style !== 'line') {
      const shift =
        ax.categories && q.style !== 'bars'
          ? (spec.series.indexOf(q) - (spec.series.length - 1) / 2) * Math.min(12, (slots * 0.5) / spec.series.length)
          : q.style === 'bars'
            ? (barSet - 1 - (barSets - 1) / 2) * Math.min(42, ((ax.categories ? slots : 40) * 0.72) / barSets)
            : 0;
      for (let i = 0; i < n; ++i)
        if (seen(i)) {
          const x = put(xAt(q.x[i]) + shift);
          if (interval(i)) {
            const y0 = put(yAt(ay.log ? Math.max(q.low![i], yr[0]) : q.low![i])),
              y1 = put(yAt(q.high![i]));
            body.append(
              s('path', {
                d: `M${x} ${y0}V${y1}M${x - 4} ${y0}h8M${x - 4} ${y1}h8`,
                stroke: q.style === 'bars' ? ink : c,
                'stroke-width': 1.3,
                fill: 'none',
              }),
            );
          }
          if (q.style !== 'bars') body.append(marker(q.hue, x, put(yAt(q.y[i])), n > 400 ? 1.4 : 3.2, c));
        }
    }
  }
  svg.append(body);
  return {svg, left, right, top, bottom, xAt, yAt, range: {x: xr, y: yr}};
}
let count = 0;

/** Shapes differ as well as colours. */
export function marker(hue: number, x: number, y: number, r: number, c: string): SVGElement {
  switch ((hue + round(hue)) % 4) {
    case 1:
      return s('rect', {x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: c});
    case 2:
      return s('path', {d: `M${x} ${y - r * 1.2}l${r * 1.2} ${r * 2.1}h${-r * 2.4}z`, fill: c});
    case 3:
      return s('path', {d: `M${x} ${y - r * 1.3}l${r * 1.3} ${r * 1.3}l${-r * 1.3} ${r * 1.3}l${-r * 1.3} ${-r * 1.3}z`, fill: c});
    default:
      return s('circle', {cx: x, cy: y, r, fill: c});
  }
}
