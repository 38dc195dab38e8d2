// Figures that do not run over time: y over x, Bode plots, matrices. Each in a frame with a legend and a way to save it.
import {chart, marker, type Axis, type Chart, type ChartSpec, type Series} from './chart';
import type {Figure, FigureAxis, MatrixFigure, Spectrum} from './data';
import {h, s, whenSeen} from './dom';
import {unpack} from './log';
import {short, unitText, withUnit} from './numbers';
import {saveCsv, savePng, saveSvg} from './save';
import {colour, css, dashes, onTheme, round} from './theme';

export interface FrameOptions {
  name?: string;
  title: string;
  caption?: string;
  wide?: boolean;
}

/** The frame of a figure: its paper name, title, buttons, legend, body, caption. */
export function frame(options: FrameOptions, actions: [label: string, help: string, action: () => void][]) {
  const legend = h('div', {class: 'legend'}),
    body = h('div', {class: 'body'});
  const menu = h(
    'span',
    {class: 'save'},
    ...actions.map(([label, help, action]) => h('button', {type: 'button', title: help, click: action}, label)),
  );
  const element = h(
    'figure',
    {class: options.wide ? 'figure wide' : 'figure'},
    h(
      'figcaption',
      {},
      h(
        'span',
        {class: 'title'},
        options.name && options.name !== options.title ? h('b', {class: 'paper-name'}, options.name) : null,
        options.title,
      ),
      menu,
    ),
    legend,
    body,
    options.caption ? h('p', {class: 'caption'}, options.caption) : null,
  );
  return {element, legend, body};
}

/** A sample of a curve as it is drawn, in the colour --c. */
function swatch(hue: number, kind: string): SVGSVGElement {
  const paint = 'var(--c)',
    line = s('line', {
      x1: 0,
      x2: 22,
      y1: 5,
      y2: 5,
      stroke: paint,
      'stroke-width': kind === 'measured' ? 1 : 2.5,
      'stroke-dasharray': dashes(hue, kind === 'reference')?.join(' '),
    });
  const parts =
    kind === 'bars'
      ? [s('rect', {x: 1, y: 0, width: 10, height: 10, rx: 2, fill: paint, opacity: 1 / (1 + round(hue))})]
      : kind === 'points'
        ? [marker(hue, 6, 5, 3.6, paint)]
        : kind === 'both'
          ? [line, marker(hue, 11, 5, 3.6, paint)]
          : [line];
  return s('svg', {class: 'swatch', width: kind === 'bars' || kind === 'points' ? 12 : 22, height: 10, 'aria-hidden': 'true'}, ...parts);
}

/** A name in the legend that switches its curve on and off. */
export function legendItem(name: string, hue: number, kind: string, on: boolean, toggle: (on: boolean) => void, channel = '') {
  const value = h('span', {class: 'value'});
  const item = h(
    'button',
    {type: 'button', class: `item ${kind}`, 'aria-pressed': String(on), title: channel ? `show or hide ${channel}` : 'show or hide'},
    swatch(hue, kind),
    h('span', {class: 'name'}, name),
    value,
  );
  const paint = () => item.style.setProperty('--c', colour(hue));
  paint();
  onTheme(paint);
  item.addEventListener('click', () => {
    const now = item.getAttribute('aria-pressed') !== 'true';
    item.setAttribute('aria-pressed', String(now));
    toggle(now);
  });
  return {item, value};
}

/** Redraws when the width or the theme changes. */
function drawn(body: HTMLElement, draw: (width: number) => void) {
  whenSeen(body, () => {
    let width = 0;
    const redraw = () => {
      if (width > 0) draw(width);
    };
    new ResizeObserver(() => {
      const now = Math.floor(body.clientWidth);
      if (now !== width) ((width = now), redraw());
    }).observe(body);
    onTheme(redraw);
  });
}

/** One above the other, their left edges in line. */
function together(list: {spec: ChartSpec; height: number}[], width: number): Chart[] {
  const left = list.length > 1 ? Math.max(...list.map(c => chart(c.spec, width, c.height).left)) : undefined;
  return list.map(c => chart({...c.spec, left}, width, c.height));
}

/** Charts one above the other that share an x axis, with one read-out. */
function stack(body: HTMLElement, legend: HTMLElement, charts: {spec: ChartSpec; height: (width: number) => number; names: string[]}[]) {
  const hidden = new Set<string>();
  const visible = (spec: ChartSpec): ChartSpec => ({...spec, series: spec.series.filter(q => !hidden.has(q.name))});
  let current: Chart[] = [];
  const readings = new Map<string, HTMLElement>();
  const names = [...new Map(charts.flatMap(c => c.spec.series.map(q => [q.name, q] as const))).values()].filter(q => q.name);
  const draw = (width: number) => {
    body.replaceChildren();
    current = together(
      charts.map(c => ({spec: visible(c.spec), height: c.height(width)})),
      width,
    );
    for (const c of current) body.append(c.svg);
    follow();
  };
  const plain = names.length < 2 && (!names[0]?.name || body.parentElement?.querySelector('.title')?.textContent?.includes(names[0].name));
  if (plain) legend.classList.add('plain');
  for (const q of names) {
    const {item, value} = legendItem(q.name, q.hue, q.dash ? 'reference' : q.style === 'line' ? 'value' : q.style, true, on => {
      on ? hidden.delete(q.name) : hidden.add(q.name);
      draw(body.clientWidth);
    });
    readings.set(q.name, value);
    legend.append(item);
  }

  const axis = charts[0].spec.x;
  const follow = () =>
    current.forEach((c, k) => {
      const marks = s('g', {class: 'marks'});
      c.svg.append(marks);
      c.svg.addEventListener('pointermove', event => {
        const box = c.svg.getBoundingClientRect(),
          scale = c.svg.viewBox.baseVal.width / box.width;
        const px = (event.clientX - box.left) * scale,
          py = (event.clientY - box.top) * scale;
        current.forEach((other, j) => {
          const at = other.svg.querySelector('.marks')!;
          at.replaceChildren();
          let nearest = Infinity,
            best: [Series, number] | undefined;
          for (const q of visible(charts[j].spec).series)
            for (let i = 0; i < q.x.length; ++i) {
              const dx = other.xAt(q.x[i]) - px,
                dy = j === k && charts[j].spec.equal ? other.yAt(q.y[i]) - py : 0;
              const d = dx * dx + dy * dy + (j === k ? 1e-4 * (other.yAt(q.y[i]) - py) ** 2 : 0);
              if (d < nearest) ((nearest = d), (best = [q, i]));
            }
          if (!best) return;
          const x = best[0].x[best[1]],
            vx = other.xAt(x);
          at.append(s('line', {x1: vx, x2: vx, y1: other.top, y2: other.bottom, stroke: css('muted'), 'stroke-dasharray': '2 3'}));
          for (const q of visible(charts[j].spec).series) {
            let i = -1,
              gap = Infinity;
            for (let m = 0; m < q.x.length; ++m) if (Math.abs(q.x[m] - x) < gap) ((gap = Math.abs(q.x[m] - x)), (i = m));
            if (q === best[0]) i = best[1];
            if (i < 0 || !Number.isFinite(q.y[i]) || Math.abs(other.xAt(q.x[i]) - vx) > 12) continue;
            at.append(
              s('circle', {
                cx: other.xAt(q.x[i]),
                cy: other.yAt(q.y[i]),
                r: 3.5,
                fill: css('paper'),
                stroke: colour(q.hue),
                'stroke-width': 2,
              }),
            );
            const value = readings.get(q.name);
            if (value && j === k) {
              const where = axis.categories?.[Math.round(q.x[i]) - 1] ?? `${short(q.x[i])}${axis.unit ? ' ' + unitText(axis.unit) : ''}`;
              value.textContent = `${short(q.y[i])}${charts[j].spec.y.unit ? ' ' + unitText(charts[j].spec.y.unit) : ''}${q.low && q.high ? ` (${short(q.low[i])} to ${short(q.high[i])})` : ''} at ${where}`;
            }
          }
        });
      });
      c.svg.addEventListener('pointerleave', () => {
        for (const other of current) other.svg.querySelector('.marks')?.replaceChildren();
        for (const value of readings.values()) value.textContent = '';
      });
    });
  drawn(body, draw);
}

/** All charts in one picture, with title and legend. */
function picture(title: string, charts: {spec: ChartSpec; height: (w: number) => number}[]): SVGSVGElement {
  const width = 760;
  const all = together(
    charts.map((c, i) => ({
      spec: {...c.spec, title: i === 0 ? title : undefined, legend: i === 0},
      height: c.height(width) + (i === 0 ? 40 : 0),
    })),
    width,
  );
  const height = all.reduce((sum, c) => sum + c.svg.height.baseVal.value, 0);
  const svg = s('svg', {xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`});
  let y = 0;
  for (const c of all) {
    c.svg.setAttribute('y', String(y));
    y += c.svg.height.baseVal.value;
    svg.append(c.svg);
  }
  return svg;
}

const isReference = (name: string) => /\b(ref|reference|model|predicted|desired|paper|fit|fitted|true|truth)\b/i.test(name);

export function seriesOf(data: Figure): Series[] {
  return data.series.map((q, i) => ({
    name: q.name,
    hue: i,
    style: q.style,
    x: unpack(q.x),
    y: unpack(q.y),
    low: q.low ? unpack(q.low) : undefined,
    high: q.high ? unpack(q.high) : undefined,
    dash: q.style === 'line' && data.series.length > 1 && isReference(q.name),
  }));
}

/** An axis as a chart draws it: with numbers, or with names where it has some. */
export const axisOf = ({label, unit, logarithmic, categories}: FigureAxis): Axis => ({
  label,
  unit,
  log: logarithmic,
  categories: categories.length ? categories : undefined,
});

export function figure(data: Figure): HTMLElement {
  const series = seriesOf(data);
  const spec: ChartSpec = {x: axisOf(data.x), y: axisOf(data.y), series, equal: data.equal_scale};
  const named = data.x.categories.length > 0;
  const height = (w: number) =>
    data.equal_scale ? Math.min(460, Math.max(240, w * 0.75)) : Math.min(named ? 380 : 330, Math.max(220, w * 0.56));
  const title = [data.name, data.title].filter(Boolean).join(': ');
  const wide = named && data.x.categories.length > 12;
  const f = frame({name: data.name, title: data.title, caption: data.caption, wide}, [
    ['SVG', 'save the picture as SVG', () => saveSvg(picture(title, [{spec, height}]), title)],
    ['PNG', 'save the picture as PNG', () => savePng(picture(title, [{spec, height}]), title)],
    [
      'CSV',
      'save the numbers',
      () =>
        saveCsv(
          title,
          series.flatMap(q => [
            `${q.name} ${withUnit(data.x.label, data.x.unit)}`,
            `${q.name} ${withUnit(data.y.label, data.y.unit)}`,
            ...(q.low && q.high ? [`${q.name} low`, `${q.name} high`] : []),
          ]),
          series.flatMap(q => [
            named ? Array.from(q.x, v => data.x.categories[Math.round(v) - 1] ?? '') : q.x,
            q.y,
            ...(q.low && q.high ? [q.low, q.high] : []),
          ]),
        ),
    ],
  ]);
  stack(f.body, f.legend, [{spec, height, names: []}]);
  return f.element;
}

/** Spectra that share axes: magnitude, phase, and coherence where it was estimated. */
export function bode(title: string, name: string, spectra: Spectrum[]): HTMLElement {
  const curves = spectra.map(d => {
    const frequency = unpack(d.frequency),
      response = unpack(d.response), // real and imaginary parts in turn
      re = response.filter((_, i) => i % 2 === 0),
      im = response.filter((_, i) => i % 2 === 1);
    const decibel = re.map((_, i) => 20 * Math.log10(Math.hypot(re[i], im[i])));
    let turns = 0,
      last = NaN; // the phase goes on beyond ±180°
    const phase = re.map((_, i) => {
      let p = (Math.atan2(im[i], re[i]) * 180) / Math.PI + 360 * turns;
      if (!Number.isFinite(p)) return NaN;
      if (Number.isFinite(last)) {
        const jump = Math.round((last - p) / 360);
        ((turns += jump), (p += 360 * jump));
      }
      return (last = p);
    });
    return {d, frequency, decibel, phase, coherence: d.coherence ? unpack(d.coherence) : undefined};
  });
  const x = {label: 'frequency', unit: 'Hz', log: true};
  const lines = (pick: (c: (typeof curves)[0]) => Float64Array | undefined): Series[] =>
    curves.flatMap((c, i) => {
      const y = pick(c);
      return y
        ? [{name: c.d.name, hue: i, style: 'line' as const, x: c.frequency, y, dash: curves.length > 1 && isReference(c.d.name)}]
        : [];
    });
  const all = curves.flatMap(c => [...c.frequency]).filter(f => f > 0);
  const range = {low: Math.min(...all), high: Math.max(...all)};
  const relative = spectra[0].unit && !/^(1|(\S+)\/\2)$/.test(spectra[0].unit);
  const magnitude = relative ? {label: `magnitude [dB re 1 ${unitText(spectra[0].unit)}]`, unit: ''} : {label: 'magnitude', unit: 'dB'};
  const phases = curves.flatMap(c => [...c.phase]).filter(Number.isFinite);
  const [p0, p1] = [Math.min(...phases), Math.max(...phases)];
  const stepOf = p1 - p0 > 720 ? 360 : p1 - p0 > 200 ? 90 : 45;
  const phaseTicks = Array.from({length: 60}, (_, i) => (Math.floor(p0 / stepOf) + i) * stepOf).filter(v => v <= p1 + stepOf);
  const charts: {spec: ChartSpec; height: (w: number) => number; names: string[]}[] = [
    {
      spec: {x: {...x, ...range}, y: magnitude, series: lines(c => c.decibel)},
      height: w => Math.max(170, Math.min(240, w * 0.36)),
      names: [],
    },
  ];
  if (phases.some(p => p !== 0))
    charts.push(
      // a power density has none
      {
        spec: {x: {...x, ...range}, y: {label: 'phase', unit: 'deg', ticks: phaseTicks}, series: lines(c => c.phase)},
        height: w => Math.max(150, Math.min(190, w * 0.28)),
        names: [],
      },
    );
  const coherence = lines(c => c.coherence);
  if (coherence.length)
    charts.push({
      spec: {x: {...x, ...range}, y: {label: 'coherence', unit: '', low: 0, high: 1.02, ticks: [0, 0.5, 1]}, series: coherence},
      height: () => 130,
      names: [],
    });
  for (const c of charts.slice(0, -1)) c.spec.x = {...c.spec.x, label: '', unit: ''}; // the last one names the axis for all
  const full = [name, title].filter(Boolean).join(': ');
  const f = frame({name, title}, [
    ['SVG', 'save the picture as SVG', () => saveSvg(picture(full, charts), full)],
    ['PNG', 'save the picture as PNG', () => savePng(picture(full, charts), full)],
    [
      'CSV',
      'save the numbers',
      () =>
        saveCsv(
          full,
          curves.flatMap(c => [`${c.d.name}: frequency [Hz]`, 'magnitude [dB]', 'phase [deg]', ...(c.coherence ? ['coherence'] : [])]),
          curves.flatMap(c => [c.frequency, c.decibel, c.phase, ...(c.coherence ? [c.coherence] : [])]),
        ),
    ],
  ]);
  stack(f.body, f.legend, charts);
  return f.element;
}

/** Numbers as colours: blue below, white (or black) in the middle, orange above. */
export function matrix(data: MatrixFigure): HTMLElement {
  const values = unpack(data.values),
    rows = data.rows.length,
    columns = data.columns.length;
  const title = [data.name, data.title].filter(Boolean).join(': ');
  const reading = h('span', {class: 'value'});
  const draw = (width: number): SVGSVGElement => {
    const ink = css('ink'),
      muted = css('muted'),
      font = 11;
    const names = Math.min(width * 0.3, 16 + 6.4 * Math.max(...data.rows.map(r => r.length)));
    const above = 18 + Math.min(104, 5.8 * Math.max(...data.columns.map(c => c.length)));
    const size = Math.max(3, Math.min(34, (width - names - 70) / columns));
    const w = names + size * columns + 70,
      height = above + size * rows + 12;
    const svg = s('svg', {
      xmlns: 'http://www.w3.org/2000/svg',
      width: w,
      height,
      viewBox: `0 0 ${w} ${height}`,
      'font-size': font,
      'font-family': 'system-ui, sans-serif',
      role: 'img',
    });
    const everyRow = Math.ceil(13 / size),
      everyColumn = Math.ceil(13 / size);
    data.rows.forEach((label, i) => {
      if (i % everyRow === 0)
        svg.append(s('text', {x: names - 6, y: above + size * (i + 0.5) + 4, fill: muted, 'text-anchor': 'end'}, label));
    });
    data.columns.forEach((label, j) => {
      if (j % everyColumn === 0)
        svg.append(s('text', {fill: muted, transform: `translate(${names + size * (j + 0.5) + 4} ${above - 6}) rotate(-60)`}, label));
    });
    for (let i = 0; i < rows; ++i)
      for (let j = 0; j < columns; ++j) {
        const v = values[i * columns + j];
        const cell = s('rect', {
          x: names + size * j,
          y: above + size * i,
          width: size - (size > 8 ? 1 : 0),
          height: size - (size > 8 ? 1 : 0),
          fill: shade(v, data.low, data.high),
        });
        cell.addEventListener('pointerenter', () => {
          reading.textContent = `${data.rows[i]}, ${data.columns[j]}: ${short(v)}`;
        });
        svg.append(cell);
      }
    const bar = names + size * columns + 16,
      tall = Math.min(160, size * rows);
    for (let k = 0; k < 40; ++k)
      svg.append(
        s('rect', {
          x: bar,
          y: above + (tall * k) / 40,
          width: 12,
          height: tall / 40 + 0.5,
          fill: shade(data.high - ((data.high - data.low) * (k + 0.5)) / 40, data.low, data.high),
        }),
      );
    for (const [v, y] of [
      [data.high, above + 9],
      [(data.low + data.high) / 2, above + tall / 2 + 4],
      [data.low, above + tall],
    ] as const)
      svg.append(s('text', {x: bar + 16, y, fill: ink}, short(v)));
    return svg;
  };
  const f = frame({name: data.name, title: data.title, caption: data.caption}, [
    ['SVG', 'save the picture as SVG', () => saveSvg(draw(760), title)],
    ['PNG', 'save the picture as PNG', () => savePng(draw(760), title)],
    [
      'CSV',
      'save the numbers',
      () =>
        saveCsv(title, ['', ...data.columns], [data.rows, ...data.columns.map((_, j) => data.rows.map((_, i) => values[i * columns + j]))]),
    ],
  ]);
  f.legend.append(reading);
  drawn(f.body, width => f.body.replaceChildren(draw(width)));
  return f.element;
}

function shade(v: number, low: number, high: number): string {
  if (!Number.isFinite(v)) return css('grid');
  const part = Math.max(-1, Math.min(1, (2 * (v - low)) / (high - low) - 1));
  const middle = css('middle')
      .split(/[\s,]+/)
      .map(Number),
    end = part < 0 ? [0, 105, 170] : [213, 94, 0];
  const k = Math.abs(part);
  return `rgb(${middle.map((m, i) => Math.round(m + k * (end[i] - m))).join(' ')})`;
}
