// The page: heading and verdicts, then each log's arm, plots, figures, tables and texts, then where it all comes from.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {followAddress} from './address';
import {armPicture} from './arm_picture';
import {chart} from './chart';
import {Clock, listenToKeys} from './clock';
import type {Card, Claim, LogTable, LogText, PageData, Spectrum} from './data';
import {h, showEverything, whenSeen} from './dom';
import {axisOf, bode, figure, matrix, seriesOf} from './figure';
import {plotsOf, type Group} from './groups';
import {Log} from './log';
import {markdown, table} from './markdown';
import {equations} from './math';
import {short} from './numbers';
import {saveCsv} from './save';
import {SceneView} from './scene';
import {keepMeshes} from './shapes';
import {onTheme, toggleTheme} from './theme';
import {plots, timePlot, type TimePlotSpec} from './timeplot';
import {inDegrees, isAngle, onUnits, showDegrees} from './units';

const scenes: SceneView[] = [];
const clocks: Clock[] = [];

function verdict(claims: Claim[]): HTMLElement | null {
  if (!claims.length) return null;
  const held = claims.filter(c => c.holds).length;
  const text =
    held === claims.length ? (held === 1 ? 'the claim holds' : `all ${held} claims hold`) : `${held} of ${claims.length} claims hold`;
  return h(
    'p',
    {class: `verdict ${held === claims.length ? 'good' : 'bad'}`},
    h('span', {class: 'mark', 'aria-hidden': 'true'}, held === claims.length ? '✓' : '✗'),
    text,
  );
}

function claimTable(claims: Claim[]): HTMLElement | null {
  if (!claims.length) return null;
  return h(
    'section',
    {class: 'claims', id: 'claims'},
    h('h2', {}, 'Claims'),
    h(
      'div',
      {class: 'scroll'},
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...['', 'claim', 'expected', 'found here'].map(c => h('th', {scope: 'col'}, c)))),
        h(
          'tbody',
          {},
          ...claims.map(c =>
            h(
              'tr',
              {class: c.holds ? 'good' : 'bad'},
              h('td', {class: 'mark'}, h('span', {title: c.holds ? 'holds' : 'does not hold'}, c.holds ? '✓' : '✗')),
              h('td', {}, h('span', {class: 'says'}, c.says), c.remark ? h('small', {}, c.remark) : null),
              h('td', {}, c.paper),
              h('td', {}, c.ours),
            ),
          ),
        ),
      ),
    ),
  );
}

function facts(list: [string, string][]): HTMLElement | null {
  if (!list.length) return null;
  const short = list.filter(([, v]) => !v.includes('\n') && v !== '');
  const long = new Map<string, string[]>(); // several warnings fold together
  for (const [k, v] of list) if (v.includes('\n')) long.set(k, [...(long.get(k) ?? []), v]);
  return h(
    'div',
    {class: 'facts'},
    short.length ? h('dl', {}, ...short.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, k === 'command' ? h('code', {}, v) : v)])) : null,
    ...[...long].map(([k, all]) =>
      h('details', {}, h('summary', {}, all.length > 1 ? `${all.length} ${k}s` : k), ...all.map(v => h('pre', {}, v))),
    ),
  );
}

function spec(log: Log, group: Group): TimePlotSpec {
  return {...group, lines: group.lines.map(l => ({...l, log})), events: log.data.events};
}

/** Spectra in the order of their figures. */
function bodePlots(list: Spectrum[]): HTMLElement[] {
  const groups = new Map<string, Spectrum[]>();
  list.forEach((d, i) => {
    const key = d.figure || `\0${i}`;
    groups.set(key, [...(groups.get(key) ?? []), d]);
  });
  return [...groups.entries()].map(([key, spectra]) => {
    const [one] = spectra,
      channel = one.input && one.output ? `${one.input} to ${one.output}` : '';
    const title = spectra.length > 1 ? channel : one.name.includes(' to ') || !channel ? one.name : `${one.name}, ${channel}`;
    return bode(title, key.startsWith('\0') ? '' : key, spectra);
  });
}

/** How many texts and figures a section has before its motion: a derivation's equations, an identification's verdict and intervals, what a calibration found. */
function leading(page: PageData, log: Log): {texts: number; figures: number} {
  if (page.kind === 'identify') return {texts: 1, figures: log.data.figures.length > 1 ? 1 : 0};
  if (page.kind === 'calibrate') return {texts: 1, figures: 0};
  return {texts: page.kind === 'derive' ? log.data.texts.map(t => t.kind).lastIndexOf('latex') + 1 : 0, figures: 0};
}

function figures(logs: Log[], after = 0): HTMLElement | null {
  const all = logs.flatMap(log => [
    ...log.data.figures.slice(after).map(figure),
    ...bodePlots(log.data.spectra),
    ...log.data.matrices.map(matrix),
  ]);
  return all.length ? h('div', {class: all.length === 1 ? 'figures single' : 'figures'}, ...all) : null;
}

function events(log: Log): HTMLElement | null {
  const list = log.data.events;
  if (!list.length) return null;
  const shown = list.slice(0, 200);
  return h(
    'details',
    {},
    h('summary', {}, `${list.length} event${list.length > 1 ? 's' : ''}`),
    table(
      ['time [s]', 'event', ''],
      shown.map(e => [short(e.time, 6), e.kind, e.detail]),
    ),
    list.length > shown.length ? h('p', {class: 'note'}, `the first ${shown.length}; all are in the log`) : null,
  );
}

function saveLog(log: Log): HTMLElement {
  return h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: () =>
        saveCsv(
          log.data.title || 'log',
          ['time [s]', ...log.channels.map(c => (c.unit ? `${c.name} [${c.unit}]` : c.name))],
          [log.time, ...log.channels.map(c => c.values)],
        ),
    },
    log.data.rows > log.data.shown ? 'save the drawn data as CSV' : 'save the data as CSV',
  );
}

function logNotes(log: Log): (HTMLElement | null)[] {
  const thinned = log.data.rows > log.data.shown;
  return [
    log.data.incomplete ? h('p', {class: 'warning'}, `The log ends early: ${log.data.incomplete}`) : null,
    thinned
      ? h(
          'p',
          {class: 'note'},
          `${log.data.rows.toLocaleString('en')} samples, drawn as the least and the greatest of each of ${Math.round(log.data.shown / 2).toLocaleString('en')} intervals: no peak is lost.`,
        )
      : null,
  ];
}

function clockFor(logs: Log[]): Clock {
  const clock = new Clock();
  clock.span(Math.min(...logs.map(l => l.begin)), Math.max(...logs.map(l => l.end)));
  clocks.push(clock);
  return clock;
}

/** The switch between radians and degrees, where there is an angle. */
function unitSwitch(logs: Log[]): HTMLElement | null {
  if (!logs.some(l => l.channels.some(c => isAngle(c.unit)))) return null;
  const button = h('button', {
    type: 'button',
    class: 'quiet unit',
    title: 'angles in radians or in degrees',
    click: () => showDegrees(!inDegrees()),
  });
  const say = () => {
    button.textContent = inDegrees() ? 'deg → rad' : 'rad → deg';
  };
  say();
  onUnits(say);
  return button;
}

/** Plots beside the arm, or in two columns where there is none. */
function motion(plotElements: HTMLElement[], rest: HTMLElement[], logs: Log[], clock: Clock, title: string): HTMLElement[] {
  if (!plotElements.length && !rest.length) return [];
  const withScene = logs.filter(l => l.data.scene.length > 1 && l.time.length > 1);
  const bands = logs.some(l => l.data.limits.length > 0) ? '; bands mark limits' : '';
  const hint = h('p', {class: 'hint'}, `drag to zoom, double-click for all; space plays, ← → move the cursor${bands}`);
  const zoomed = h('button', {type: 'button', class: 'quiet', click: () => clock.reset()}, 'show all');
  zoomed.hidden = true;
  const buttons = [unitSwitch(logs), zoomed];
  clock.onZoom(() => {
    zoomed.hidden = !clock.isZoomed;
  });
  const beside = withScene.length ? 6 : plotElements.length;
  const column = h('div', {class: 'plots'}, ...plotElements.slice(0, beside));
  const parts: HTMLElement[] = [];
  if (withScene.length) {
    const view = new SceneView(withScene, clock, title);
    scenes.push(view);
    parts.push(
      h(
        'div',
        {class: 'stage'},
        h('div', {class: 'left'}, view.element),
        h('div', {class: 'right'}, h('div', {class: 'bar'}, hint, ...buttons), column),
      ),
    );
    if (plotElements.length > beside) parts.push(h('div', {class: 'plots two below'}, ...plotElements.slice(beside)));
  } else {
    column.classList.add(plotElements.length > 1 ? 'two' : 'one');
    parts.push(h('div', {class: 'bar'}, hint, ...buttons), column);
  }
  if (rest.length)
    parts.push(
      h(
        'details',
        {class: 'more'},
        h('summary', {}, `${rest.length} more plot${rest.length > 1 ? 's' : ''}`),
        h('div', {class: rest.length > 1 ? 'plots two' : 'plots one'}, ...rest),
      ),
    );
  return parts;
}

function texts(list: LogText[]): HTMLElement[] {
  return list.map(t =>
    h('div', {class: 'text-block'}, t.title ? h('h3', {}, t.title) : null, t.kind === 'latex' ? equations(t.text) : markdown(t.text)),
  );
}
/** The table that a page leads with. */
const leads = (t: LogTable) => t.title === 'Summary';
function tables(log: Log, wanted: (t: LogTable) => boolean): HTMLElement[] {
  return log.data.tables
    .filter(wanted)
    .map(t =>
      h(
        'div',
        {class: leads(t) ? 'table-block summary' : 'table-block'},
        t.title && !leads(t) ? h('h3', {}, t.title) : null,
        table(t.header, t.rows),
      ),
    );
}

function logSection(log: Log, page: PageData, later: boolean): HTMLElement {
  const alone = page.logs.length === 1;
  const clock = clockFor([log]);
  const known = new Set(page.facts.map(([k]) => k));
  const section = h(
    'section',
    {class: 'log', id: `log-${log.index + 1}`},
    alone && (!log.data.title || log.data.title.toLowerCase() === page.title.toLowerCase())
      ? null
      : h('h2', {}, log.data.title || `Log ${log.index + 1}`),
  );
  const fill = () => {
    section.style.minHeight = '';
    const {plots: main, rest} = log.time.length > 1 ? plotsOf(log) : {plots: [], rest: []};
    const draw = (g: Group) => timePlot(spec(log, g), clock);
    const first = leading(page, log);
    for (const part of [
      ...logNotes(log),
      ...texts(log.data.texts.slice(0, first.texts)),
      first.figures ? h('div', {class: 'figures single'}, ...log.data.figures.slice(0, first.figures).map(figure)) : null,
      ...tables(log, leads),
      ...motion(main.map(draw), rest.map(draw), [log], clock, log.data.title || page.title),
      figures([log], first.figures),
      ...tables(log, t => !leads(t)),
      ...texts(log.data.texts.slice(first.texts)),
      events(log),
      alone ? null : facts(log.data.facts.filter(([k]) => !known.has(k))),
      log.time.length > 1 ? h('p', {}, saveLog(log)) : null,
    ])
      if (part) section.append(part);
  };
  if (later) ((section.style.minHeight = '40rem'), whenSeen(section, fill));
  else fill();
  return section;
}

/** Several runs over each other: one plot per channel, one colour per run. */
function compareSection(logs: Log[], page: PageData): HTMLElement {
  const called = (log: Log) =>
    (log.data.title.startsWith(`${page.title}: `) ? log.data.title.slice(page.title.length + 2) : log.data.title) || `run ${log.index + 1}`; // what all share stands above
  const clock = clockFor(logs);
  const wanted = new Map<string, TimePlotSpec>();
  logs.forEach((log, k) => {
    for (const group of plotsOf(log).plots)
      for (const line of group.lines) {
        if (line.kind === 'measured') continue;
        const name = line.channel.name.replace(/_ref$/, ''),
          key = `${name}|${line.channel.unit}`;
        if (
          line.kind === 'reference' &&
          k > 0 &&
          wanted.get(key)?.lines.some(l => l.kind === 'reference' && same(l.channel.values, line.channel.values))
        )
          continue;
        if (!wanted.has(key))
          wanted.set(key, {
            name: '',
            title: `${group.title}: ${line.text ?? name}`,
            caption: '',
            label: group.label,
            unit: group.unit,
            lines: [],
            events: [],
          });
        wanted.get(key)!.lines.push({
          log,
          channel: line.channel,
          hue: line.kind === 'reference' ? 6 : k,
          kind: line.kind,
          label: line.kind === 'reference' ? 'reference' + (k > 0 ? ` of ${called(log)}` : '') : called(log),
        });
      }
  });
  const all = [...wanted.values()].map(w =>
    timePlot({...w, lines: [...w.lines].sort((a, b) => Number(a.kind === 'reference') - Number(b.kind === 'reference'))}, clock),
  );
  return h(
    'section',
    {class: 'log'},
    ...logs.flatMap(logNotes),
    ...logs.flatMap(log => tables(log, leads)),
    ...motion(all.slice(0, 24), all.slice(24), logs, clock, page.title),
    figures(logs),
    ...logs.flatMap(log => tables(log, t => !leads(t))),
    ...logs.flatMap(l => texts(l.data.texts)),
    ...logs.map(log => h('details', {}, h('summary', {}, log.data.title), facts(log.data.facts), events(log), h('p', {}, saveLog(log)))),
  );
}
const same = (a: Float64Array, b: Float64Array) =>
  a.length === b.length && a.every((v, i) => v === b[i] || (Number.isNaN(v) && Number.isNaN(b[i])));

function card(data: Card): HTMLElement {
  const holder = h('div', {class: 'thumb'});
  const figure = data.figure;
  if (data.equations) holder.append(equations(data.equations));
  else if (figure.series.length) {
    const draw = () =>
      holder.replaceChildren(
        figure.name === 'arm'
          ? armPicture(figure, 300, 150)
          : chart({x: axisOf(figure.x), y: axisOf(figure.y), equal: figure.equal_scale, series: seriesOf(figure), bare: true}, 300, 150)
              .svg,
      );
    draw();
    onTheme(draw);
  }
  const good = data.held === data.claims && !data.failed,
    judged = data.claims > 0 || !!data.failed;
  return h(
    'a',
    {class: 'card', href: data.link},
    holder,
    h('h3', {}, data.name),
    h('p', {}, data.title),
    h(
      'div',
      {class: 'result'},
      judged &&
        h(
          'p',
          {class: `verdict small ${good ? 'good' : 'bad'}`},
          h('span', {class: 'mark'}, good ? '✓' : '✗'),
          data.failed || `${data.held} of ${data.claims} claims hold`,
        ),
      data.figures > 1 && h('span', {class: 'count'}, `${data.figures} figures`),
    ),
  );
}

function contents(logs: Log[], page: PageData): HTMLElement | null {
  if (logs.length < 3 || page.kind === 'compare') return null;
  return h(
    'nav',
    {'aria-label': 'contents'},
    page.claims.length ? h('a', {href: '#claims'}, 'Claims') : null,
    ...logs.map(l => h('a', {href: `#log-${l.index + 1}`}, l.data.title || `Log ${l.index + 1}`)),
  );
}

function show(page: PageData) {
  document.title = page.title;
  keepMeshes(page.meshes);
  const logs = page.logs.map((data, i) => new Log(data, i));
  const body = document.getElementById('page')!;
  const provenance =
    logs.length === 1
      ? [...page.facts, ...logs[0].data.facts.filter(([k]) => k !== 'question' && !page.facts.some(([known]) => known === k))]
      : page.facts;
  const question = page.subtitle || (logs.length === 1 ? logs[0].data.facts.find(([k]) => k === 'question')?.[1] : '') || '';
  body.append(
    h(
      'header',
      {},
      h(
        'div',
        {class: 'top'},
        h('span', {class: 'kind'}, h('b', {}, 'Armature'), ` ${page.kind}`),
        h('button', {type: 'button', class: 'quiet theme', title: 'light or dark (t)', click: toggleTheme}, '◐'),
      ),
      h('h1', {}, page.title),
      question ? h('p', {class: 'question'}, question) : null,
      verdict(page.claims),
    ),
  );
  const add = (...parts: (HTMLElement | null)[]) => {
    for (const part of parts) if (part) body.append(part);
  };
  add(contents(logs, page), claimTable(page.claims));
  if (page.cards.length) add(h('section', {class: 'cards'}, ...page.cards.map(card)));
  if (page.kind === 'compare' && logs.length > 1) add(compareSection(logs, page));
  else for (const log of logs) add(logSection(log, page, log.index > 1)); // the rest when it comes near
  const source = facts(provenance);
  if (source) add(h('section', {class: 'source', id: 'source'}, h('h2', {}, 'Where this comes from'), source));
  add(h('footer', {}, 'Written by Armature. This file needs nothing but itself.'));
  if (clocks.length) listenToKeys(nearest(), toggleTheme);
  followAddress(clocks);
}

/** The keys move the clock of the section in view. */
function nearest(): Clock {
  if (clocks.length === 1) return clocks[0];
  const sections = () => [...document.querySelectorAll('section.log')];
  const pick = () => {
    const middle = innerHeight / 2;
    const distances = sections().map(e => {
      const b = e.getBoundingClientRect();
      return b.top <= middle && b.bottom >= middle ? 0 : Math.min(Math.abs(b.top - middle), Math.abs(b.bottom - middle));
    });
    return clocks[Math.max(0, distances.indexOf(Math.min(...distances)))] ?? clocks[0];
  };
  return new Proxy(clocks[0], {
    get: (_, key) => {
      const clock = pick(),
        value = Reflect.get(clock, key);
      return typeof value === 'function' ? value.bind(clock) : value;
    },
  });
}

const source = document.getElementById('data')?.textContent ?? '';
try {
  show(JSON.parse(source) as PageData);
} catch (error) {
  document.getElementById('page')!.append(h('p', {class: 'warning'}, `This page cannot be drawn: ${(error as Error).message}`));
  throw error;
}

// For whoever looks from outside: the tests.
Object.assign(window, {armature: {plots, scenes, clocks, showEverything}});
