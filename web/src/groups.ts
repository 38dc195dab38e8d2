// Which channels share a plot when the log does not say: one plot per quantity.
import type {Channel, Log} from './log';

export interface Line {
  channel: Channel;
  label: string;
  /** What the legend says where it is not the label: the joint's name. */
  text?: string;
  /** Colour: the joint's number, so that a joint has one colour everywhere. */
  hue: number;
  /** A wanted value is dashed, a measured one thin. */
  kind: 'value' | 'reference' | 'measured';
}
export interface Group {
  key: string;
  title: string;
  name: string;
  caption: string;
  label: string;
  unit: string;
  lines: Line[];
  minor: boolean;
}

const titles: Record<string, [title: string, label: string]> = {
  q: ['Joint position', 'position'],
  v: ['Joint speed', 'speed'],
  qd: ['Joint speed', 'speed'],
  qdd: ['Joint acceleration', 'acceleration'],
  tau: ['Joint torque', 'torque'],
  torque: ['Drive torque', 'torque'],
  u: ['Command', 'command'],
  friction: ['Friction torque', 'torque'],
  tool: ['Tool position', 'position'],
  force: ['Contact force', 'force'],
  moment: ['Contact moment', 'moment'],
  energy: ['Energy', 'energy'],
  'energy error': ['Error of the energy balance', 'energy'],
  i: ['Motor current', 'current'],
  error: ['Tracking error, reference − actual', 'error'],
  a: ['Joint acceleration', 'acceleration'],
  status: ['Status of the controller', 'status'],
};
/** What a unit is usually the unit of, for a plot of channels that share nothing but it. */
const quantities: Record<string, string> = {
  rad: 'angle',
  deg: 'angle',
  m: 'position',
  mm: 'position',
  'rad/s': 'speed',
  'm/s': 'speed',
  'rad/s^2': 'acceleration',
  'm/s^2': 'acceleration',
  'N m': 'torque',
  N: 'force',
  V: 'voltage',
  A: 'current',
  J: 'energy',
  W: 'power',
  Hz: 'frequency',
  s: 'time',
  K: 'temperature',
};
const labelOf = (stem: string, unit: string) => titles[stem]?.[1] ?? quantities[unit] ?? stem.replaceAll('_', ' ');
const order = ['error', 'q', 'v', 'qd', 'tau', 'torque', 'u', 'friction', 'tool', 'force', 'moment', 'energy', 'energy error'];
const suffixes: [RegExp, Line['kind']][] = [
  [/_(ref|des|desired|wanted)$/, 'reference'],
  [/_(meas|measured)$/, 'measured'],
  [/_(est|hat|pred|predicted|model)$/, 'reference'],
];

/** Channels part_gravity1, ... are what the terms of a controller add up from. */
function term(stem: string): [string, string] | undefined {
  const match = /^part_(.+)$/.exec(stem);
  return match ? [`Control term: ${match[1].replaceAll('_', ' ')}`, 'torque'] : undefined;
}

export function parts(name: string): {stem: string; index: number; kind: Line['kind']; member: string} {
  let base = name,
    kind: Line['kind'] = 'value';
  for (const [pattern, k] of suffixes)
    if (pattern.test(base)) {
      base = base.replace(pattern, '');
      kind = k;
      break;
    }
  if (/_error$/.test(base))
    return {
      stem: base.replace(/_error$/, '').replace(/\d+$/, '') + ' error',
      index: Number(/(\d+)_error$/.exec(base)?.[1] ?? 1) - 1,
      kind,
      member: name,
    };
  const numbered = /^(.*?[^\d\s._])_?(\d+)$/.exec(base);
  if (numbered && numbered[1]) return {stem: numbered[1], index: Number(numbered[2]) - 1, kind, member: name};
  const cut = base.lastIndexOf('_');
  const axis = {x: 0, y: 1, z: 2}[base.slice(cut + 1)];
  if (cut > 0) return {stem: base.slice(0, cut), index: axis ?? -1, kind, member: name};
  return {stem: base, index: -1, kind, member: name};
}

/** Reference minus actual, for every channel that has both. */
export function trackingErrors(log: Log): Channel[] {
  return log.channels.flatMap(channel => {
    const match = /^q(\d+)_ref$/.exec(channel.name);
    const actual = match && log.channel(`q${match[1]}`);
    if (!actual || log.data.rows !== log.data.shown) return []; // extremes of thinned channels cannot be subtracted
    if (channel.values.every(Number.isNaN)) return [];
    const values = channel.values.map((r, i) => r - actual.values[i]);
    return [{name: `error${match[1]}`, unit: channel.unit, values, samples: values}];
  });
}

/** The joint that a channel belongs to, where the log has an arm: by number (q2, tau2_ref, part_gravity2) or by name (torque_elbow). */
export function jointName(log: Log, name: string): string | undefined {
  const {index, stem} = partsIn(log, name);
  if (/^(tool|force|moment)$/.test(stem)) return undefined;
  return jointOf(log, name)?.name ?? (/\d/.test(name) ? log.data.scene.find(f => f.joint === `q${index + 1}`)?.name : undefined);
}

/** The joint whose name a channel ends with; names may hold underscores and numbers themselves: torque_wrist_1_joint. */
function jointOf(log: Log, name: string) {
  return log.data.scene.find(f => f.joint && name.endsWith(`_${f.name}`));
}
function partsIn(log: Log, name: string): ReturnType<typeof parts> {
  const joint = jointOf(log, name);
  if (!joint) return parts(name);
  return {stem: name.slice(0, -joint.name.length - 1), index: Number(joint.joint.slice(1)) - 1, kind: 'value', member: name};
}

export function groupsOf(log: Log): Group[] {
  const groups = new Map<string, Group>();
  const drives = new Map<string, number>(); // motors by name, in their order
  const add = (channel: Channel) => {
    if (channel.values.every(Number.isNaN)) return;
    const truth = /_meas$/.test(channel.name) && log.channel(channel.name.replace(/_meas$/, ''));
    if (truth && truth.values.every((v, i) => v === channel.values[i])) return; // measured without error
    const {stem, index, kind, member} = partsIn(log, channel.name);
    const key = `${stem}|${channel.unit}`;
    let group = groups.get(key);
    if (!group) {
      const [title, label] = titles[stem] ?? term(stem) ?? [stem.replaceAll('_', ' '), labelOf(stem, channel.unit)];
      group = {key: stem, name: '', caption: '', title, label, unit: channel.unit, lines: [], minor: stem === 'tool' && !channel.unit};
      groups.set(key, group);
    }
    let hue = index;
    if (hue < 0) {
      const tail = channel.name.slice(stem.length + 1) || channel.name;
      if (!drives.has(tail)) drives.set(tail, [...group.lines].length);
      hue = drives.get(tail)!;
    }
    group.lines.push({channel, label: member, hue, kind, text: jointName(log, channel.name)});
  };
  const solid = (lines: Line[]) => {
    if (lines.every(l => l.kind === 'reference')) for (const l of lines) l.kind = 'value';
  }; // nothing to refer to
  for (const channel of [...trackingErrors(log), ...log.channels]) add(channel);
  for (const group of groups.values()) solid(group.lines);
  const rank = (g: Group) => (g.minor ? 1000 : order.includes(g.key) ? order.indexOf(g.key) : 500);
  const sorted = [...groups.values()].sort((a, b) => rank(a) - rank(b));
  for (const group of sorted) if (group.lines.every(l => constant(l.channel.values))) group.minor = true;
  for (const group of sorted)
    if (group.key === 'tool' && !group.unit) ((group.title = 'Tool orientation (quaternion)'), (group.label = 'component'));
  return sorted;
}

/** Nothing to see. */
const constant = (values: Float64Array) => values.every(v => Number.isNaN(v) || v === values[0]);

/** A colour per channel: its joint's where every joint comes once; else one after the other, a wanted value like the channel that should reach it. */
function huesOf(channels: Channel[]): number[] {
  const of = channels.map(c => parts(c.name));
  if (!of.some(p => p.index < 0) && new Set(of.map(p => `${p.index}|${p.kind}`)).size === channels.length) return of.map(p => p.index);
  let next = 0;
  const values = of.map(p => (p.kind === 'reference' ? -1 : next++));
  return values.map((hue, i) => {
    if (hue >= 0) return hue;
    const base = channels[i].name.replace(/_[a-z]+$/, '');
    const follower = channels.findIndex(
      (c, j) => values[j] >= 0 && (c.name === base || (c.name.startsWith(base) && !/[A-Za-z0-9]/.test(c.name[base.length]))),
    );
    return follower >= 0 ? values[follower] : next++;
  });
}

/** The plots a log asks for, then whatever it left out. */
export function plotsOf(log: Log): {plots: Group[]; rest: Group[]} {
  const automatic = groupsOf(log);
  if (log.data.time_figures.length === 0) return {plots: automatic.filter(g => !g.minor), rest: automatic.filter(g => g.minor)};
  const used = new Set<string>();
  const plots = log.data.time_figures.map((figure, k): Group => {
    const channels = figure.channels.flatMap(name => log.channel(name) ?? []);
    channels.forEach(c => used.add(c.name));
    const units = [...new Set(channels.map(c => c.unit))];
    const stems = [...new Set(channels.map(c => parts(c.name).stem))];
    const kinds = channels.map(c => (parts(c.name).kind === 'reference' ? 'reference' : 'value') as Line['kind']);
    const hues = huesOf(channels);
    return {
      key: `figure ${k}`,
      name: figure.name,
      title: figure.title,
      caption: figure.caption,
      label:
        units.length > 1
          ? stems.length === 1
            ? (titles[stems[0]]?.[1] ?? '')
            : ''
          : stems.length === 1
            ? labelOf(stems[0], units[0])
            : (quantities[units[0]] ?? ''),
      unit: units.length > 1 && units.length < 4 ? units.join(' or ') : units.length === 1 ? units[0] : '',
      minor: false,
      lines: channels.map((channel, i) => ({
        channel,
        label: channel.name + (units.length > 1 && channel.unit ? ` [${channel.unit}]` : ''),
        hue: hues[i],
        kind: kinds[i],
      })),
    };
  });
  for (const plot of plots) if (plot.lines.every(l => l.kind === 'reference')) for (const l of plot.lines) l.kind = 'value';
  const rest = automatic.map(g => ({...g, lines: g.lines.filter(l => !used.has(l.channel.name))})).filter(g => g.lines.length > 0);
  return {plots: plots.filter(p => p.lines.length > 0), rest};
}
