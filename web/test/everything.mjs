// A report with every kind of content, as a folder that `armature report` draws.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

export const hostile = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked=2">';

const steps = (n, f) => Array.from({length: n}, (_, i) => f(i / (n - 1)));

/** Corners on a unit cube's grid and triangles, as a report holds them. */
const part = (points, triangles) => ({
  low: [0, 0, 0],
  size: [1, 1, 1],
  points: Buffer.from(Uint16Array.from(points, v => 65535 * v).buffer).toString('base64'),
  triangles: Buffer.from(Uint32Array.from(triangles).buffer).toString('base64'),
});

export function writeEverything(folder) {
  mkdirSync(folder, {recursive: true});
  const rows = 2000,
    time = i => 0.001 * i;
  const lines = [
    '# armature log: 1',
    '# title: A run with everything',
    '# robot: two links',
    'time [s],q1 [rad],q2 [rad],q1_ref [rad],q2_ref [rad],tau1 [N m],tau2 [N m],force_x [N],force_y [N],force_z [N],holey [m]',
  ];
  for (let i = 0; i < rows; ++i) {
    const t = time(i),
      q1 = Math.sin(3 * t),
      q2 = 0.7 * Math.cos(2 * t),
      f = t > 1 && t < 1.3 ? 40 * Math.sin(((t - 1) * Math.PI) / 0.3) : 0;
    if (i === 1000) lines.push('# event: 1; contact; table');
    if (i > 1500 && i < 1600) continue; // samples are missing
    lines.push(
      [t, q1, q2, q1 + 0.02 * Math.sin(20 * t), q2, 12 * Math.cos(3 * t), 5 * q2, 0.2 * f, 0, f, i > 300 && i < 500 ? 'nan' : t * t].join(
        ',',
      ),
    );
  }
  lines.push(`# end: ${rows - 99} rows`);
  writeFileSync(join(folder, 'log.csv'), lines.join('\n') + '\n');

  const f = steps(300, s => 10 ** (-1 + 4 * s)),
    H = (w, d) => {
      const re = 1 - (w / 12) ** 2,
        im = (2 * d * w) / 12,
        n = re * re + im * im;
      return [re / n, -im / n];
    };
  const speeds = steps(41, s => -2 + 4 * s),
    friction = v => 4 * Math.tanh(20 * v) + 1.5 * v + 2 * Math.tanh(20 * v) * Math.exp(-((v / 0.2) ** 2));
  const names = ['m₂l₂', 'I₁zz', 'I₂zz', 'f_c1', 'f_v1', 'f_c2', 'f_v2', 'g₁'],
    values = [1.2, 0.4, 0.31, 4, 1.5, 2.2, 0.9, 8.1];
  const turn = steps(400, s => 2 * Math.PI * s);
  writeFileSync(
    join(folder, 'report.json'),
    JSON.stringify({
      'armature report': 1,
      kind: 'study',
      title: 'Everything a page can show',
      subtitle: 'Two links, every figure, one hostile name',
      claims: [
        {id: 'a', says: 'the arm follows its reference', paper: '0.02 rad', ours: '0.0199 rad', holds: true, remark: 'at 1 kHz'},
        {id: 'b', says: `a name like ${hostile} stays a name`, paper: 'text', ours: 'text', holds: true},
        {
          id: 'c',
          says: 'friction has no Stribeck effect',
          paper: 'none',
          ours: '2 N m',
          holds: false,
          remark: 'the measured curve falls below 0.2 rad/s',
        },
      ],
      facts: [
        ['command', 'armature study everything'],
        ['version', 'armature 0.1.0'],
        ['seed', '42'],
        ['scenario', 'scenario: everything\nrobot: two links\nrun: {duration: 2 s}\n'],
      ],
      meshes: [
        {name: 'wedge', parts: [part([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])]},
        {name: 'damaged', parts: [part([0, 0, 0], [0, 1, 2]), {points: '!', triangles: 'AAAA', low: [0, 0, 0], size: [1, 1, 1]}]},
      ],
      logs: [
        {
          file: 'log.csv',
          time_figures: [
            {
              name: 'Fig 7',
              title: 'Positions and references',
              channels: ['q1', 'q2', 'q1_ref', 'q2_ref'],
              caption: 'Dashed: wanted. The samples between 1.5 s and 1.6 s are missing.',
            },
            {name: '', title: 'Torque', channels: ['tau1', 'tau2']},
            {title: 'With a hole', channels: ['holey']},
          ],
          figures: [
            {
              name: 'Fig 3',
              title: 'Friction of joint 1',
              x: {label: 'speed', unit: 'rad/s'},
              y: {label: 'friction torque', unit: 'N m'},
              caption: 'Bars: three standard deviations.',
              series: [
                {
                  name: 'measured',
                  style: 'points',
                  x: speeds,
                  y: speeds.map((v, i) => friction(v) + 0.3 * Math.sin(i * 7)),
                  low: speeds.map((v, i) => friction(v) + 0.3 * Math.sin(i * 7) - 0.5),
                  high: speeds.map((v, i) => friction(v) + 0.3 * Math.sin(i * 7) + 0.5),
                },
                {
                  name: 'fitted',
                  style: 'line',
                  x: steps(300, s => -2 + 4 * s),
                  y: steps(300, s => friction(-2 + 4 * s)),
                  low: steps(300, s => friction(-2 + 4 * s) - 0.4),
                  high: steps(300, s => friction(-2 + 4 * s) + 0.4),
                },
              ],
            },
            {
              name: 'Table 2',
              title: 'Identified parameters',
              x: {label: 'parameter', unit: '', categories: names},
              y: {label: 'value', unit: ''},
              series: [
                {
                  name: 'identified',
                  style: 'points',
                  x: names.map((_, i) => i + 1),
                  y: values,
                  low: values.map(v => v * 0.93),
                  high: values.map(v => v * 1.07),
                },
                {name: 'paper', style: 'points', x: names.map((_, i) => i + 1), y: values.map(v => v * 1.03)},
              ],
            },
            {
              name: 'Fig 9',
              title: 'Writing in the plane',
              x: {label: 'x', unit: 'm'},
              y: {label: 'y', unit: 'm'},
              equal_scale: true,
              series: [
                {name: 'reference', style: 'line', x: turn.map(a => 0.1 * Math.sin(a)), y: turn.map(a => 0.05 * Math.sin(2 * a))},
                {
                  name: 'written',
                  style: 'line',
                  x: turn.map(a => 0.1 * Math.sin(a + 0.03)),
                  y: turn.map(a => 0.051 * Math.sin(2 * a + 0.02)),
                },
              ],
            },
            {
              title: 'Residual spectrum',
              x: {label: 'frequency', unit: 'Hz', logarithmic: true},
              y: {label: 'power density', unit: '(N m)^2/Hz', logarithmic: true},
              series: [{name: 'joint 1', x: f, y: f.map(v => (1e-3 / (1 + (v / 20) ** 2)) * (1 + 0.4 * Math.sin(9 * Math.log(v))))}],
            },
            {
              title: 'RMS error by controller',
              x: {label: '', unit: '', categories: ['PD', 'PD + gravity', 'computed torque', 'adaptive']},
              y: {label: 'RMS error', unit: 'mrad'},
              series: [
                {name: 'joint 1', style: 'bars', x: [1, 2, 3, 4], y: [12, 5, 0.8, 0.5], low: [11, 4, 0.7, 0.45], high: [13, 6, 0.9, 0.6]},
                {name: 'joint 2', style: 'bars', x: [1, 2, 3, 4], y: [9, 4.2, 0.6, 0.3]},
              ],
            },
            {
              title: 'Long names',
              x: {
                label: '',
                unit: '',
                categories: [
                  'inverse_dynamics_derivatives',
                  'forward_dynamics_derivatives',
                  'gravity',
                  'end_effector_acceleration_of_the_left_arm_in_the_world',
                ],
              },
              y: {label: 'operations', unit: ''},
              series: [{name: 'all', style: 'bars', x: [1, 2, 3, 4], y: [812, 1033, 21, 410]}],
            },
            {
              title: 'More curves than colours',
              x: {label: 'time', unit: 's'},
              y: {label: 'estimate', unit: ''},
              series: steps(20, s => Math.round(19 * s)).map(i => ({
                name: `p${i + 1}`,
                style: i % 2 ? 'line' : 'both',
                x: [0, 1, 2],
                y: [i, i + 1, i + 0.5],
              })),
            },
          ],
          spectra: [
            {
              name: 'measured',
              figure: 'Fig 12',
              input: 'torque',
              output: 'position',
              unit: 'rad/(N m)',
              frequency: f,
              response: f.map(w => {
                const h = H(w, 0.06);
                return [h[0] * (1 + 0.05 * Math.sin(40 * Math.log(w))), h[1]];
              }),
              coherence: f.map(w => 1 / (1 + (w / 200) ** 2)),
            },
            {
              name: 'hardly any phase',
              input: 'torque',
              output: 'force',
              unit: 'N/(N m)',
              frequency: f,
              response: f.map(w => [1, -1e-4 * w]),
            },
            {
              name: 'model',
              figure: 'Fig 12',
              input: 'torque',
              output: 'position',
              unit: 'rad/(N m)',
              frequency: f,
              response: f.map(w => H(w, 0.05)),
            },
          ],
          matrices: [
            {
              title: 'Correlation of parameters',
              rows: names,
              columns: names,
              values: names.flatMap((_, i) => names.map((_, j) => (i === j ? 1 : Math.sin(i * 3 + j * 3) * 0.8))),
            },
          ],
          tables: [
            {
              title: 'Parameters',
              header: ['name', 'value', '± 95 %', 'unit'],
              rows: names.map((n, i) => [n, String(values[i]), String((values[i] * 0.07).toFixed(3)), 'kg m²']),
            },
          ],
          texts: [
            {
              kind: 'markdown',
              title: 'What was done',
              text: 'A run of **two seconds** with `everything`. See $\\tau = M(q)\\ddot{q} + c$.\n\n- one\n- two ' + hostile,
            },
            {
              kind: 'latex',
              title: 'The model',
              text:
                '\\tau_1 = \\left( I_1 + m_2 l_1^2 \\right) \\ddot{q}_1 + \\frac{1}{2} m_2 l_1 l_2 \\cos\\left(q_1 + q_2\\right) \\dot{q}_2^2\n\nM(q) = \\begin{bmatrix} \\theta_1 + 2 \\theta_2 \\cos q_2 & \\theta_3 \\\\ \\theta_3 & \\theta_4 \\end{bmatrix}\n\nC_{11} = ' +
                steps(14, s => Math.round(13 * s))
                  .map(i => `p_{${i + 1}} c_{2} \\left(s_{23} \\dot{q}_{2} + ${i} a_{3} \\dot{q}_{3}\\right)`)
                  .join(' - '),
            },
          ],
          scene: [
            {name: 'base', parent: -1, shapes: [{kind: 'cylinder', size: [0.1, 0.4, 0], position: [0, 0, 0.2]}]},
            {
              name: 'shoulder',
              parent: 0,
              position: [0, 0, 0.4],
              joint: 'q1',
              reference: 'q1_ref',
              ellipsoid_centre: [0.25, 0, 0],
              ellipsoid_axes: [0.3, 0.06, 0.06],
              shapes: [
                {kind: 'mesh', mesh: 'wedge', size: [0.5, 0.1, 0.1], colour: [0.2, 0.4, 0.8, 1]},
                {kind: 'mesh', mesh: 'damaged'},
                {kind: 'mesh', mesh: hostile},
              ],
            },
            {
              name: 'elbow',
              parent: 1,
              position: [0.5, 0, 0],
              turn: [Math.SQRT1_2, Math.SQRT1_2, 0, 0],
              joint: 'q2',
              reference: 'q2_ref',
              ellipsoid_centre: [0.2, 0, 0],
              ellipsoid_axes: [0.25, 0.05, 0.05],
            },
            {name: hostile, parent: 2, position: [0.4, 0, 0]},
          ],
          arrows: [{name: 'contact force', frame: 3, channels: ['force_x', 'force_y', 'force_z']}],
          planes: [{name: 'table', point: [0, 0, 0.1], normal: [0, 0, 1]}],
        },
      ],
    }),
  );
}
