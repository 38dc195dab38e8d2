// What the page computes, without a browser: numbers, units, groups of channels, the view in the address, Markdown.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {source} from './source.mjs';

const numbers = await source('numbers');
const units = await source('units');
const groups = await source('groups');
const address = await source('address');
const {unpack, Log} = await source('log');

const pack = values => 'f8:' + Buffer.from(Float64Array.from(values).buffer).toString('base64');
const joints = ['waist', 'shoulder', 'elbow'];
const log = (channels, more = {}) =>
  new Log(
    {
      title: '',
      facts: [],
      incomplete: '',
      rows: 3,
      shown: 3,
      time: pack([0, 1, 2]),
      events: [],
      tables: [],
      spectra: [],
      texts: [],
      arrows: [],
      planes: [],
      limits: [],
      time_figures: [],
      figures: [],
      matrices: [],
      scene: joints.map((name, i) => ({name, joint: `q${i + 1}`, reference: ''})),
      channels: Object.entries(channels).map(([name, values]) => ({
        name,
        unit: name.startsWith('tau') ? 'N m' : 'rad',
        values: pack(values),
      })),
      ...more,
    },
    0,
  );

describe('the range of a plot', () => {
  const inside = ([low, high], value) => low < value && value < high;
  it('holds what is drawn and a limit that is near', () => {
    const range = numbers.rangeWith(-1, 1, [{value: 1.5, upper: true}]);
    assert.ok(inside(range, -1) && inside(range, 1) && inside(range, 1.5));
  });
  it('does not reach out for a limit that is far', () => {
    assert.ok(
      !inside(
        numbers.rangeWith(-1, 1, [
          {value: 6.3, upper: true},
          {value: -6.3, upper: false},
        ]),
        6.3,
      ),
    );
  });
  it('is not moved by a limit that was passed', () => {
    assert.deepEqual(numbers.rangeWith(-1, 1, [{value: 0.5, upper: true}]), numbers.rangeWith(-1, 1, []));
  });
});

describe('numbers', () => {
  it('a short number read back differs by less than half of its last digit', () => {
    for (const x of [1, -2.5, 123456, 0.00012345, 3.14159265, -1e-9, 7.77e12, 999999.5, 1e6]) {
      const text = numbers
        .short(x)
        .replace('−', '-')
        .replace('·10', 'e')
        .replace(/[⁻⁰¹²³⁴-⁹]/g, c => '-0123456789'['⁻⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c)]);
      assert.ok(Math.abs(Number(text) - x) <= 0.5001 * 10 ** (Math.floor(Math.log10(Math.abs(x))) - 3), `${x} is shown as ${text}`);
    }
    assert.equal(numbers.short(NaN), '–');
  });
  it('ticks are round, inside, evenly spaced, and at least two', () => {
    for (const [low, high] of [
      [0, 1],
      [-0.3, 0.7],
      [1e-9, 3e-9],
      [-1e6, 2e6],
      [0.999, 1.001],
      [17, 17.5],
    ]) {
      const at = numbers.ticks(low, high, 4);
      assert.ok(at.length >= 2, `${low} to ${high}`);
      const step = at[1] - at[0];
      for (let i = 0; i < at.length; ++i) {
        assert.ok(at[i] >= low - 1e-9 * step && at[i] <= high + 1e-9 * step);
        if (i) assert.ok(Math.abs(at[i] - at[i - 1] - step) < 1e-6 * step);
      }
    }
  });
  it('labels of different ticks differ', () => {
    for (const at of [
      [0, 0.25, 0.5],
      [0.999, 1, 1.001],
      [-2e6, 0, 2e6],
      [0, 2.5e-5, 5e-5],
    ])
      assert.equal(new Set(numbers.tickLabels(at)).size, at.length, String(at));
  });
});

describe('units', () => {
  it('only angles change, there and back', () => {
    units.showDegrees(true);
    assert.equal(units.shownUnit('rad/s^2'), 'deg/s^2');
    assert.equal(units.shownUnit('rad or m'), 'deg or m');
    assert.equal(units.shownUnit('N m/rad'), 'N m/rad');
    assert.ok(Math.abs(units.shownFactor('rad/s') * Math.PI - 180) < 1e-12);
    assert.equal(units.shownFactor('m'), 1);
    units.showDegrees(false);
    assert.equal(units.shownUnit('rad'), 'rad');
    assert.equal(units.shownFactor('rad'), 1);
  });
});

describe('channels', () => {
  it('numbers come out of their packing as they went in', () => {
    assert.deepEqual([...unpack(pack([1.5, -0, 1e300]))], [1.5, -0, 1e300]);
    assert.ok(Number.isNaN(unpack(pack([NaN]))[0]));
  });
  it('one plot per quantity, references and measured values with their joint', () => {
    const found = groups.groupsOf(log({q1: [0, 1, 2], q2: [1, 1, 2], q1_ref: [0, 1, 3], tau1: [1, 2, 3], q1_meas: [0, 1.1, 2]}));
    const q = found.find(g => g.key === 'q');
    assert.deepEqual(
      q.lines.map(l => [l.label, l.kind, l.text]),
      [
        ['q1', 'value', 'waist'],
        ['q2', 'value', 'shoulder'],
        ['q1_ref', 'reference', 'waist'],
        ['q1_meas', 'measured', 'waist'],
      ],
    );
    assert.ok(
      q.lines.filter(l => l.text === 'waist').every(l => l.hue === q.lines[0].hue),
      'a joint has one colour',
    );
    const error = found.find(g => g.key === 'error');
    assert.deepEqual([...error.lines[0].channel.values], [0, 0, 1]);
    assert.ok(found.some(g => g.key === 'tau'));
  });
  it('channels that carry the name of a joint share a plot, whatever the name looks like', () => {
    const scene = ['wrist_1_joint', 'wrist_2_joint'].map((name, i) => ({name, joint: `q${i + 1}`, reference: ''}));
    const found = groups.groupsOf(log({torque_wrist_1_joint: [0, 1, 2], torque_wrist_2_joint: [2, 1, 0]}, {scene}));
    assert.deepEqual(
      found.map(g => [g.title, g.lines.map(l => [l.text, l.hue])]),
      [
        [
          'Drive torque',
          [
            ['wrist_1_joint', 0],
            ['wrist_2_joint', 1],
          ],
        ],
      ],
    );
  });
  it('a channel that only looks numbered gets no name of a joint', () => {
    for (const name of ['tool_x', 'force_y', 'q9', 'status', 'energy_error', 'torque_motor'])
      assert.equal(groups.jointName(log({}), name), undefined, name);
    assert.equal(groups.jointName(log({}), 'part_gravity3'), 'elbow');
    assert.equal(groups.jointName(log({}), 'torque_shoulder'), 'shoulder');
  });
});

describe('the address', () => {
  it('gives back the view that was written into it', () => {
    const view = {
      degrees: true,
      clocks: new Map([
        [0, {t: 0.5, from: 0.25, to: 0.75}],
        [2, {t: -1e-4, from: -1, to: 3}],
      ]),
    };
    assert.deepEqual(address.readView('#' + address.writeView(view)), view);
  });
  it('leaves anchors and nonsense alone', () => {
    for (const hash of ['', '#', '#claims', '#log-2', '#0=1,2', '#0=a,b,c', '#0=1,2,3,4', '#deg=1', '#1=Infinity,0,1'])
      assert.equal(address.readView(hash), undefined, hash);
  });
});
