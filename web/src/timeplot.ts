// A plot over time. All of them share the clock's cursor and its zoom.
import uPlot from 'uplot';
import {chart, type Series} from './chart';
import type {Clock} from './clock';
import type {LogEvent} from './data';
import {h, whenSeen} from './dom';
import {frame, legendItem} from './figure';
import type {Channel, Log} from './log';
import {rangeWith, short, tickLabels, unitText, withUnit} from './numbers';
import {saveCsv, savePng, saveSvg} from './save';
import {colour, css, dashes, onTheme} from './theme';
import {onUnits, shownFactor, shownUnit} from './units';

export interface TimeLine {
  log: Log;
  channel: Channel;
  label: string;
  text?: string;
  hue: number;
  kind: 'value' | 'reference' | 'measured';
}
export interface TimePlotSpec {
  name: string;
  title: string;
  caption: string;
  label: string;
  unit: string;
  lines: TimeLine[];
  events: LogEvent[];
}

/** Every plot made so far, for whoever looks from outside (the tests). */
export const plots: {title: string; plot: uPlot; labels: string[]}[] = [];

const gapped = ({channel}: TimeLine): (number | null)[] => {
  const factor = shownFactor(channel.unit);
  return Array.from(channel.values, v => (Number.isFinite(v) ? v * factor : null));
};

/** One time axis for curves that may come from different logs. */
function aligned(lines: TimeLine[]): uPlot.AlignedData {
  const same = lines.every(l => l.log === lines[0].log || sameTime(l.log.time, lines[0].log.time));
  if (same) return [Array.from(lines[0].log.time), ...lines.map(l => gapped(l))] as uPlot.AlignedData;
  return uPlot.join(lines.map(l => [Array.from(l.log.time), gapped(l)] as uPlot.AlignedData));
}
const sameTime = (a: Float64Array, b: Float64Array) => a.length === b.length && a.every((t, i) => t === b[i]);

interface Limit {
  value: number;
  upper: boolean;
  /** Of the curves it belongs to. */
  hues: number[];
}

/** The limits of the curves that are shown, as they are shown. Where there is no true value, they are those of what stands for it. */
function limitsOf(lines: TimeLine[], hidden: Set<number>): Limit[] {
  const limits = new Map<string, Limit>();
  lines.forEach((l, i) => {
    if (hidden.has(i) || l.kind === 'reference') return;
    for (const {channel, value, upper} of l.log.data.limits) {
      if (channel !== l.channel.name && `${channel}_meas` !== l.channel.name) continue;
      const shared = limits.get(`${value} ${upper}`);
      if (!shared) limits.set(`${value} ${upper}`, {value: value * shownFactor(l.channel.unit), upper, hues: [l.hue]});
      else if (!shared.hues.includes(l.hue)) shared.hues.push(l.hue);
    }
  });
  return [...limits.values()];
}

/** A band beyond each limit, in the colours of the curves it is for; where it is for all of them, everything beyond is shaded. */
function drawLimits(u: uPlot, lines: TimeLine[], hidden: Set<number>) {
  const {left, top, width, height} = u.bbox;
  const thickness = 5 * devicePixelRatio,
    dash = 22 * devicePixelRatio;
  const curves = new Set(lines.filter((l, i) => l.kind !== 'reference' && !hidden.has(i)).map(l => l.hue)).size;
  u.ctx.save();
  for (const {value, upper, hues} of limitsOf(lines, hidden)) {
    const y = u.valToPos(value, 'y', true);
    if (upper ? y < top : y > top + height) continue;
    const edge = Math.min(Math.max(y, top), top + height);
    if (hues.length === curves) {
      u.ctx.fillStyle = css('muted');
      u.ctx.globalAlpha = 0.13;
      upper ? u.ctx.fillRect(left, top, width, edge - top) : u.ctx.fillRect(left, edge, width, top + height - edge);
    }
    if (y < top || y > top + height) continue;
    u.ctx.globalAlpha = 0.4;
    const outward = Math.min(thickness, upper ? y - top : top + height - y);
    for (let x = 0, k = 0; x < width; x += dash, ++k) {
      u.ctx.fillStyle = colour(hues[k % hues.length]);
      u.ctx.fillRect(left + x, upper ? y - outward : y, Math.min(dash, width - x), outward);
    }
  }
  u.ctx.restore();
}

export function timePlot(spec: TimePlotSpec, clock: Clock, height = 190): HTMLElement {
  const hidden = new Set<number>();
  const title = [spec.name, spec.title].filter(Boolean).join(': ');
  const asChart = () => {
    const series: Series[] = spec.lines.map(l => {
      const rows = [...l.log.time.keys()].filter(i => l.log.time[i] >= clock.from && l.log.time[i] <= clock.to);
      return {
        name: [l.text ?? l.label, l.text && l.kind !== 'value' ? l.kind : ''].filter(Boolean).join(', '),
        hue: l.hue,
        style: 'line',
        dash: l.kind === 'reference',
        thin: l.kind === 'measured',
        x: rows.map(i => l.log.time[i]),
        y: rows.map(i => l.channel.values[i] * shownFactor(l.channel.unit)),
      };
    });
    return chart(
      {
        title,
        legend: true,
        x: {label: 'time', unit: 's'},
        y: {label: spec.label, unit: shownUnit(spec.unit)},
        series: series.filter((_, i) => !hidden.has(i)),
      },
      760,
      360,
    ).svg;
  };
  const f = frame({name: spec.name, title: spec.title, caption: spec.caption}, [
    ['SVG', 'save what is shown as SVG', () => saveSvg(asChart(), title)],
    ['PNG', 'save what is shown as PNG', () => savePng(asChart(), title)],
    [
      'CSV',
      'save the numbers',
      () => {
        const data = aligned(spec.lines);
        saveCsv(
          title,
          ['time [s]', ...spec.lines.map(l => withUnit(l.label, shownUnit(l.channel.unit)))],
          data.map(column => Array.from(column as (number | null)[], v => v ?? NaN)),
        );
      },
    ],
  ]);
  f.element.classList.add('time');
  const readings: (HTMLElement | undefined)[] = [];
  let plot: uPlot | undefined;
  const show = (i: number, on: boolean) => {
    on ? hidden.delete(i) : hidden.add(i);
    plot?.setSeries(i + 1, {show: on});
  };
  spec.lines.forEach((line, i) => {
    if (line.kind === 'measured' && spec.lines.some(l => l.kind === 'value')) hidden.add(i);
  }); // the true value is there
  // An item per curve; where every curve has its joint's name, one item for all references and one for all measured values.
  const byKind = spec.lines.every(l => l.text) && spec.lines.some(l => l.kind === 'value');
  spec.lines.forEach((line, i) => {
    if (byKind && line.kind !== 'value') return;
    const {item, value} = legendItem(line.text ?? line.label, line.hue, line.kind, !hidden.has(i), on => show(i, on), line.label);
    readings[i] = value;
    f.legend.append(item);
  });
  for (const kind of byKind ? (['reference', 'measured'] as const) : []) {
    const members = spec.lines.flatMap((l, i) => (l.kind === kind ? [i] : []));
    if (members.length === 0) continue;
    const {item} = legendItem(
      kind,
      6,
      kind,
      !members.every(i => hidden.has(i)),
      on => members.forEach(i => show(i, on)),
      members.map(i => spec.lines[i].label).join(' '),
    );
    f.legend.append(item);
  }
  f.body.style.minHeight = `${height}px`;
  whenSeen(f.body, () => {
    plot = make(f.body, spec, clock, height, hidden);
    const line = h('div', {class: 'cursor'});
    plot.over.append(line);
    const follow = (t: number) => {
      const x = plot!.valToPos(t, 'x');
      line.style.display = x >= 0 && x <= plot!.over.clientWidth ? '' : 'none';
      line.style.transform = `translateX(${x.toFixed(1)}px)`;
      spec.lines.forEach((l, i) => {
        if (readings[i]) readings[i].textContent = hidden.has(i) ? '' : short(l.log.at(l.channel.values, t) * shownFactor(l.channel.unit));
      });
    };
    clock.onMove(follow);
    (plot.hooks.draw ??= []).push(() => follow(clock.t)); // a new scale or size counts once it is drawn, not when it is asked for
    clock.onZoom(() => plot!.setScale('x', {min: clock.from, max: clock.to}));
    onTheme(() => plot!.redraw(false, true));
    onUnits(() => {
      plot!.axes[1].label = withUnit(spec.label, shownUnit(spec.unit));
      plot!.setData(aligned(spec.lines), false);
      plot!.setScale('x', {min: clock.from, max: clock.to});
    });
    new ResizeObserver(() => plot!.setSize({width: Math.max(200, f.body.clientWidth), height})).observe(f.body);
    plots.push({title: spec.title, plot, labels: spec.lines.map(l => l.label)});
  });
  return f.element;
}

function make(body: HTMLElement, spec: TimePlotSpec, clock: Clock, height: number, hidden: Set<number>): uPlot {
  const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  const axis = (label: string): uPlot.Axis => ({
    label: label || undefined,
    labelFont: font,
    font,
    labelSize: label ? 18 : 0,
    stroke: () => css('muted'),
    grid: {stroke: () => css('grid'), width: 1},
    ticks: {show: false},
    gap: 6,
    values: (_, splits) => tickLabels(splits),
  });
  const widest = (values: string[] | null) =>
    Math.max(
      38, // the same for nearly all: their times line up
      ...(values ?? []).map(v => 6.6 * v.length),
    ) + 10;
  const plot = new uPlot(
    {
      width: Math.max(200, body.clientWidth),
      height,
      padding: [8, 18, 0, 0], // room for half of the last number
      legend: {show: false},
      pxAlign: 0,
      cursor: {x: false, y: false, points: {show: false}, drag: {x: true, y: false, setScale: false}},
      scales: {
        x: {time: false, min: clock.from, max: clock.to, auto: false, range: (_u, min, max) => [min, max]},
        y: {
          range: (_u, min, max) => {
            if (min === null || max === null || !Number.isFinite(min)) return [-1, 1];
            return rangeWith(min, max, limitsOf(spec.lines, hidden));
          },
        },
      },
      axes: [
        {...axis('time [s]'), size: 24, space: 70},
        {...axis(withUnit(spec.label, shownUnit(spec.unit))), size: (_u, values) => widest(values), space: 34},
      ],
      series: [
        {},
        ...spec.lines.map(
          (l, i): uPlot.Series => ({
            label: l.label,
            show: !hidden.has(i),
            stroke: () => colour(l.hue),
            width: l.kind === 'measured' ? 0.8 : 1.6,
            dash: dashes(l.hue, l.kind === 'reference'),
            points: {show: false},
            spanGaps: false,
            pxAlign: 0,
          }),
        ),
      ],
      hooks: {
        setSelect: [
          u => {
            if (u.select.width > 4) clock.zoom(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
            u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
          },
        ],
        drawAxes: [
          u => drawLimits(u, spec.lines, hidden),
          u => {
            // a mark where something happened
            const inside = spec.events.filter(e => e.time >= clock.from && e.time <= clock.to).slice(0, 400);
            u.ctx.save();
            u.ctx.fillStyle = u.ctx.strokeStyle = css('event');
            u.ctx.lineWidth = devicePixelRatio;
            u.ctx.globalAlpha = inside.length > 60 ? 0.15 : 0.45;
            for (const event of inside) {
              const x = u.valToPos(event.time, 'x', true);
              u.ctx.beginPath();
              u.ctx.moveTo(x, u.bbox.top);
              u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
              u.ctx.stroke();
            }
            u.ctx.restore();
          },
        ],
      },
    },
    aligned(spec.lines),
    body,
  );
  plot.over.addEventListener('pointermove', event => {
    if (!clock.playing && event.buttons === 0) clock.set(plot.posToVal(event.offsetX, 'x'));
  });
  plot.over.addEventListener('pointerdown', event => {
    clock.pause();
    clock.set(plot.posToVal(event.offsetX, 'x'));
  });
  plot.over.addEventListener('dblclick', () => clock.reset());
  plot.root.querySelector('canvas')?.setAttribute('aria-label', `${spec.title} ${unitText(spec.unit)} over time`);
  return plot;
}
