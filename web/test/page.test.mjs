// Pages as a person sees them: opened from disk by a browser, in both themes and on a phone.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createWriteStream, existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {once} from 'node:events';
import {chromium, launch, open} from './browser.mjs';
import {hostile, writeEverything} from './everything.mjs';

const root = new URL('../..', import.meta.url).pathname;
const program = process.env.ARMATURE_PROGRAM ?? join(root, 'build/armature');
const missing = !chromium
  ? 'no browser here (apt install chromium, or name one in CHROME)'
  : !existsSync(new URL('../node_modules/playwright-core', import.meta.url))
    ? 'no playwright-core here (npm ci)'
    : !existsSync(program)
      ? `no program at ${program}`
      : '';
if (missing) console.log(`SKIP: ${missing}`);

const folder = mkdtempSync(join(missing ? tmpdir() : dirname(program), 'pages-')); // not in /tmp, which a browser from a snap does not see
const armature = (...args) => {
  try {
    return execFileSync(program, args, {cwd: root, encoding: 'utf8', maxBuffer: 1e8});
  } catch (error) {
    if (error.status === 1) return error.stdout; // the answer is no: a claim does not hold
    throw new Error(`${args.join(' ')}: ${error.stderr}`);
  }
};

/** What a row of a CSV log holds, by column. */
function columns(file) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(l => l && !l.startsWith('#'));
  const names = lines[0].split(',').map(n => n.replace(/ \[.*$/, ''));
  const found = Object.fromEntries(names.map(n => [n, []]));
  for (const line of lines.slice(1)) line.split(',').forEach((v, i) => found[names[i]].push(v === '' ? NaN : Number(v)));
  return found;
}
const extremes = values => {
  let low = Infinity,
    high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) ((low = Math.min(low, v)), (high = Math.max(high, v)));
  return [low, high];
};

/** The pages that the program writes, by name. */
const pages = {
  simulate: () => armature('simulate', 'scenarios/rrr_wall.yaml', '-o', join(folder, 'simulate')),
  terms: () => armature('simulate', 'scenarios/planar3r_switched_terms.yaml', '-o', join(folder, 'terms')),
  compare: () =>
    armature(
      'simulate',
      'scenarios/rrr_pd_step.yaml',
      '--compare',
      'scenarios/rrr_free_fall.yaml',
      '--set',
      'run.duration=0.5s',
      '-o',
      join(folder, 'compare'),
    ),
  excite: () => armature('excite', 'rrr', '--harmonics', '3', '--starts', '2', '--page', join(folder, 'excite')),
  frf: () => {
    // a machine of second order, driven by noise
    let x = 0,
      v = 0,
      seed = 1;
    const rows = ['time [s],u [N m],y [rad]'];
    for (let i = 0; i < 20000; ++i) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      const u = seed / 1073741824 - 1;
      ((v += 1e-3 * (u - 2 * v - 4000 * x)), (x += 1e-3 * v));
      rows.push(`${i / 1000},${u},${x}`);
    }
    writeFileSync(join(folder, 'noise.csv'), rows.join('\n') + '\n');
    armature('frf', join(folder, 'noise.csv'), '--input', 'u', '--output', 'y', '--page', join(folder, 'frf'));
  },
  derive: () => armature('derive', 'rrr', '--what', 'gravity,mass-matrix', '--page', join(folder, 'derive')),
  equations: () => armature('derive', 'rrr', '--symbolic', '--page', join(folder, 'equations')),
  identify: () => {
    armature('simulate', 'tools/demo/shake.yaml', '-o', join(folder, 'shaken'));
    armature(
      'identify',
      'rrr',
      join(folder, 'shaken', 'log.csv'),
      '--from',
      '0.5s',
      '--page',
      join(folder, 'identify'),
      '-o',
      join(folder, 'identified.yaml'),
    );
  },
  validate: () =>
    armature('validate', join(folder, 'identified.yaml'), join(folder, 'shaken', 'log.csv'), '--page', join(folder, 'validate')),
  linearize: () => armature('linearize', 'scenarios/rrr_pd_step.yaml', '--page', join(folder, 'linearize')),
  study: () => armature('study', 'vandeven1986', '-o', join(folder, 'study')),
  everything: () => {
    writeEverything(join(folder, 'everything'));
    armature('report', join(folder, 'everything'));
  },
};

describe('pages', {skip: missing || false}, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  for (const [name, make] of Object.entries(pages)) {
    it(`${name}: opens in both themes and on a phone without complaint, asks for nothing, nothing blank, nothing too wide`, async () => {
      make();
      for (const settings of [{theme: 'light'}, {theme: 'dark'}, {theme: 'light', width: 390, height: 844}]) {
        const {page, seen, url, close} = await open(browser, join(folder, name, 'index.html'), settings);
        await page.evaluate(() => window.armature.showEverything());
        await page.waitForTimeout(400);
        assert.deepEqual(seen.errors, [], name);
        assert.deepEqual(seen.requests, [url], 'one request: the file');
        const blank = await page.evaluate(() =>
          [...document.querySelectorAll('canvas')]
            .filter(c => {
              if (!c.width || !c.closest('details:not([open])') === false) return false;
              const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
              let seen = 0;
              for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++seen;
              return seen < 200;
            })
            .map(c => c.closest('figure, .scene')?.textContent?.slice(0, 40)),
        );
        assert.deepEqual(blank, []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px wider than the window`);
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.figure svg:not(.swatch)')].flatMap(svg => {
            const box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')]
              .filter(text => {
                const b = text.getBoundingClientRect();
                return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
              })
              .map(text => `${text.closest('figure').querySelector('.title').textContent}: ${text.textContent}`);
          }),
        );
        assert.deepEqual(cut, [], 'no text is cut');
        const off = await page.evaluate(() =>
          [...document.querySelectorAll('.equation')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 20)),
        );
        assert.deepEqual(off, [], 'no equation runs off the page');
        const single = await page.evaluate(() =>
          [...document.querySelectorAll('.figure svg')].flatMap(svg =>
            ['x', 'y']
              .filter(a => svg.querySelectorAll(`.tick.${a}`).length === 1)
              .map(a => `${svg.closest('figure').querySelector('.title').textContent}: ${a}`),
          ),
        );
        assert.deepEqual(single, [], 'one number is no scale');
        await close();
      }
    });
  }

  it('curves reach exactly the extremes of the log', async () => {
    const {page, close} = await open(browser, join(folder, 'simulate', 'index.html'));
    await page.evaluate(() => window.armature.showEverything());
    await page.waitForTimeout(300);
    const drawn = await page.evaluate(() =>
      window.armature.plots.flatMap(({plot, labels}) =>
        labels.map((label, i) => [
          label,
          plot.data[i + 1].filter(v => v !== null),
          plot.scales.y.min,
          plot.scales.y.max,
          plot.series[i + 1].show,
        ]),
      ),
    );
    const log = columns(join(folder, 'simulate', 'log.csv'));
    let compared = 0;
    for (const [label, values, low, high, shown] of drawn) {
      if (!log[label]) continue;
      ++compared;
      const want = extremes(log[label]),
        got = extremes(values),
        size = Math.max(Math.abs(want[0]), Math.abs(want[1]));
      for (const k of [0, 1]) assert.ok(Math.abs(want[k] - got[k]) <= 1e-6 * size, `${label}: ${got} instead of ${want}`);
      if (shown) assert.ok(low <= want[0] && high >= want[1], `${label} is cut off`);
    }
    assert.ok(compared > 20);
    await close();
  });

  it('the page of identify leads with its verdict and the intervals of the parameters', async () => {
    const {page, close} = await open(browser, join(folder, 'identify', 'index.html'));
    const tops = await page.evaluate(() =>
      ['.text-block', '.figures', '.scene'].map(part => document.querySelector(part).getBoundingClientRect().top),
    );
    assert.ok(tops[0] < tops[1] && tops[1] < tops[2], tops.join(' '));
    assert.match(await page.locator('.text-block').first().innerText(), /^Verdict: /);
    assert.match(await page.locator('.figures').first().innerText(), /intervals/);
    await close();
  });

  it('the page of a comparison leads with the table of its runs, and others below', async () => {
    const {page, close} = await open(browser, join(folder, 'compare', 'index.html'));
    const places = await page.evaluate(() => {
      const top = selector => document.querySelector(selector).getBoundingClientRect().top;
      return {
        summary: top('.summary'),
        plots: top('.uplot'),
        errors: top('.table-block:not(.summary)'),
        rows: document.querySelectorAll('.summary tbody tr').length,
      };
    });
    assert.equal(places.rows, 2);
    assert.ok(places.summary < places.plots && places.plots < places.errors, JSON.stringify(places));
    await close();
  });

  it('one cursor for all plots and the arm; it plays, keys move it, zoom is shared', async () => {
    const {page, close} = await open(browser, join(folder, 'simulate', 'index.html'));
    await page.waitForTimeout(300);
    const state = () =>
      page.evaluate(() => ({
        t: window.armature.clocks[0].t,
        from: window.armature.clocks[0].from,
        to: window.armature.clocks[0].to,
        playing: window.armature.clocks[0].playing,
        tool: window.armature.scenes[0].tool(),
        cursors: [...document.querySelectorAll('.cursor')].map(c => c.style.transform),
        scales: window.armature.plots.map(p => [p.plot.scales.x.min, p.plot.scales.x.max]),
      }));
    const picture = () => page.evaluate(() => document.querySelector('canvas.arm').toDataURL());
    const first = await picture();
    const over = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(over.x + over.width / 2, over.y + over.height / 2);
    await page.waitForTimeout(300);
    let s = await state();
    assert.ok(Math.abs(s.t - 1) < 0.02, `the pointer is in the middle of 2 s: ${s.t}`);
    assert.ok(s.cursors.length > 3 && s.cursors.every(c => c === s.cursors[0]), 'all cursors stand at one time');
    assert.notEqual(await picture(), first, 'the arm has moved');
    const log = columns(join(folder, 'simulate', 'log.csv')),
      row = log.time.findIndex(t => t >= s.t);
    ['tool_x', 'tool_y', 'tool_z'].forEach((n, k) =>
      assert.ok(Math.abs(s.tool[k] - log[n][row]) < 2e-3, `${n} of the drawn arm: ${s.tool[k]}, of the log: ${log[n][row]}`),
    );
    await page.mouse.move(5, 5);
    await page.keyboard.press('ArrowRight');
    assert.ok((await state()).t > s.t);
    await page.keyboard.press('Home');
    assert.equal((await state()).t, 0);
    await page.keyboard.press('Space');
    await page.waitForTimeout(700);
    s = await state();
    assert.ok(s.playing && s.t > 0.05, 'space plays');
    await page.keyboard.press('Space');
    assert.equal((await state()).playing, false);
    await page.mouse.move(over.x + over.width * 0.25, over.y + 40);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.5, over.y + 40, {steps: 5});
    await page.mouse.up();
    s = await state();
    assert.ok(Math.abs(s.from - 0.5) < 0.03 && Math.abs(s.to - 1) < 0.03, `zoomed to ${s.from} .. ${s.to}`);
    assert.ok(
      s.scales.every(([a, b]) => a === s.from && b === s.to),
      'in every plot',
    );
    await page.locator('.u-over').first().dblclick();
    s = await state();
    assert.equal(s.to, 2);
    await close();
  });

  it('the cursor stands at the time it says, whatever is shown', async () => {
    const {page, close} = await open(browser, join(folder, 'simulate', 'index.html'));
    await page.waitForTimeout(300);
    const check = async when => {
      await page.waitForTimeout(100);
      const {t, from, to, cursors} = await page.evaluate(() => ({
        ...window.armature.clocks[0],
        cursors: window.armature.plots.map(({plot}) => {
          const line = plot.over.querySelector('.cursor'),
            over = plot.over.getBoundingClientRect();
          return {shown: line.style.display !== 'none', share: (line.getBoundingClientRect().left - over.left) / over.width};
        }),
      }));
      assert.ok(cursors.length > 3);
      for (const {shown, share} of cursors) {
        assert.equal(shown, t >= from && t <= to, when);
        if (shown)
          assert.ok(
            Math.abs(share - (t - from) / (to - from)) < 0.005,
            `${when}: drawn at ${from + share * (to - from)} s, the time is ${t} s`,
          );
      }
      return {t, from, to};
    };
    const over = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(over.x + over.width * 0.3, over.y + 40);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.6, over.y + 40, {steps: 5});
    await page.mouse.up();
    const zoomed = await check('after a drag');
    assert.ok(Math.abs(zoomed.t - 0.6) < 0.02 && Math.abs(zoomed.from - 0.6) < 0.02 && Math.abs(zoomed.to - 1.2) < 0.02);
    await page.evaluate(() => window.armature.clocks[0].set(1.1));
    await check('moved');
    await page.locator('button', {hasText: 'show all'}).click();
    assert.equal((await check('after "show all"')).to, 2);
    await page.setViewportSize({width: 1000, height: 900});
    await check('in a narrower window');
    await close();
  });

  it('angles change to degrees at a click, and the address keeps time, zoom and unit', async () => {
    const {page, close} = await open(browser, join(folder, 'simulate', 'index.html'));
    await page.waitForTimeout(300);
    const look = () =>
      page.evaluate(() => {
        const q = window.armature.plots.find(p => p.labels.includes('q1')),
          tau = window.armature.plots.find(p => p.labels.includes('tau1'));
        const {t, from, to} = window.armature.clocks[0];
        return {q: q.plot.data[1].at(-1), tau: tau.plot.data[1].at(-1), label: q.plot.axes[1].label, t, from, to};
      });
    const radians = await look();
    await page.locator('button.unit').click();
    const degrees = await look();
    assert.ok(Math.abs(degrees.q - (radians.q * 180) / Math.PI) < 1e-9 * Math.abs(degrees.q));
    assert.equal(degrees.tau, radians.tau);
    assert.match(degrees.label, /\[deg\]/);
    await page.evaluate(() => {
      window.armature.clocks[0].zoom(0.5, 1.5);
      window.armature.clocks[0].set(0.75);
    });
    await page.waitForFunction(() => location.hash.includes('0.75'));
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForTimeout(500);
    const again = await look();
    assert.deepEqual([again.t, again.from, again.to, again.label, again.q], [0.75, 0.5, 1.5, degrees.label, degrees.q]);
    await close();
  });

  it('links look as the report says, or like rods at a click; a damaged mesh is left out', async () => {
    const {page, seen, close} = await open(browser, join(folder, 'everything', 'index.html'));
    const drawn = () => page.evaluate(() => window.armature.scenes[0].triangles());
    const button = page.locator('.scene .tools button', {hasText: 'shapes'}).first();
    await page.locator('canvas.arm').first().scrollIntoViewIfNeeded();
    await page.waitForTimeout(500);
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await drawn(), {mesh: 4, visible: true}); // the wedge alone: neither the damaged mesh nor the one that is not there
    await button.click();
    assert.deepEqual(await drawn(), {mesh: 4, visible: false});
    assert.deepEqual(seen.errors, []);
    await close();
  });

  it('curves of a figure differ in colour or in line, and the legend shows both', async () => {
    const {page, close} = await open(browser, join(folder, 'everything', 'index.html'));
    await page.evaluate(() => window.armature.showEverything());
    await page.waitForTimeout(300);
    const figure = page.locator('figure', {has: page.locator('.title', {hasText: 'More curves than colours'})});
    const look = selector =>
      figure.evaluate(
        (f, s) => [...f.querySelectorAll(s)].map(e => [getComputedStyle(e).stroke, e.getAttribute('stroke-dasharray')].join(' ')),
        selector,
      );
    const curves = await look('.body g > path[fill=none][stroke-linejoin]'),
      legend = await look('.legend .swatch line');
    assert.equal(curves.length, 20);
    assert.equal(new Set(curves).size, 20, 'every curve has a look of its own');
    assert.deepEqual(legend, curves);
    await close();
  });

  it('a term of the controller is switched off and on in its legend', async () => {
    const {page, close} = await open(browser, join(folder, 'terms', 'index.html'));
    await page.evaluate(() => window.armature.showEverything());
    const names = Object.keys(columns(join(folder, 'terms', 'log.csv'))).filter(n => /^part_\w+1$/.test(n));
    assert.ok(names.length >= 2, `the law reports its terms: ${names}`);
    const drawn = await page.evaluate(() => window.armature.plots.flatMap(p => p.labels));
    for (const name of names) assert.ok(drawn.includes(name), `${name} is drawn`);
    for (const name of names) {
      const item = page.locator(`.legend .item[title$=" ${name}"]`).first();
      const state = () =>
        page.evaluate(n => {
          const p = window.armature.plots.find(q => q.labels.includes(n)),
            i = 1 + p.labels.indexOf(n);
          return [p.plot.series[i].show, p.plot.scales.y.min, p.plot.scales.y.max];
        }, name);
      const first = await state();
      assert.equal(first[0], true);
      await item.click();
      assert.equal((await state())[0], false);
      assert.equal(await item.getAttribute('aria-pressed'), 'false');
      await item.click();
      assert.deepEqual(await state(), first, 'as it was');
    }
    await close();
  });

  it('every axis is labelled and carries its unit; missing samples break the curve', async () => {
    const {page, close} = await open(browser, join(folder, 'everything', 'index.html'));
    await page.evaluate(() => window.armature.showEverything());
    await page.waitForTimeout(300);
    const text = await page.evaluate(() => [...document.querySelectorAll('.figure svg')].map(s => s.textContent).join('\n'));
    for (const label of [
      'speed [rad/s]',
      'friction torque [N·m]',
      'frequency [Hz]',
      'magnitude [dB re 1 rad/(N·m)]',
      'phase [deg]',
      'coherence',
      'power density [(N·m)²/Hz]',
      'x [m]',
      'RMS error [mrad]',
    ])
      assert.ok(text.includes(label), label);
    const holes = await page.evaluate(() => {
      const p = window.armature.plots.find(q => q.labels.includes('holey')).plot;
      return p.data[0].filter((t, i) => p.data[1][i] === null);
    });
    assert.ok(
      holes.some(t => t > 0.3 && t < 0.5),
      'not recorded',
    );
    assert.ok(
      holes.some(t => t > 1.5 && t < 1.6),
      'samples missing',
    );
    assert.ok((await page.evaluate(() => document.body.innerText)).includes(hostile), 'a hostile name is shown as text');
    assert.equal(await page.evaluate(() => document.querySelectorAll('math mfrac, math mtable').length), 2);
    await close();
  });

  it('pictures and numbers can be saved', async () => {
    const {page, close, seen} = await open(browser, join(folder, 'everything', 'index.html'));
    await page.evaluate(() => window.armature.showEverything());
    await page.waitForTimeout(300);
    for (const [title, kind] of [
      ['Friction of joint 1', 'SVG'],
      ['Friction of joint 1', 'PNG'],
      ['Friction of joint 1', 'CSV'],
      ['Torque', 'SVG'],
      ['Torque', 'CSV'],
      ['torque to position', 'PNG'],
      ['Correlation of parameters', 'SVG'],
    ]) {
      const figure = page.locator('figure', {has: page.locator('.title', {hasText: title})}).first();
      await figure.hover();
      const [file] = await Promise.all([page.waitForEvent('download'), figure.locator('.save button', {hasText: kind}).click()]);
      const content = readFileSync(await file.path());
      if (kind === 'SVG') assert.match(content.toString(), /^<svg[^]*<(path|rect)/);
      if (kind === 'PNG') assert.deepEqual([...content.subarray(1, 4)], [...Buffer.from('PNG')]);
      if (kind === 'CSV') assert.ok(content.toString().split('\n').length > 30);
    }
    assert.deepEqual(seen.errors, []);
    await close();
  });

  it(
    `a log of ${process.env.ARMATURE_LONG_TESTS ? '1e7' : '1e6'} rows with peaks, holes and gaps opens in under 3 s and keeps its peaks`,
    {timeout: 300_000},
    async () => {
      const rows = process.env.ARMATURE_LONG_TESTS ? 1e7 : 1e6,
        file = join(folder, 'long.csv'),
        out = createWriteStream(file);
      out.write('time [s],a [V],b [m]\n');
      let part = '';
      for (let i = 0; i < rows; ++i) {
        if (i > 0.7 * rows && i < 0.72 * rows) continue;
        part += `${i / 1000},${i === Math.round(rows / 3) ? 99 : Math.round(Math.sin(i / 5000) * 1e4) / 1e4},${i % 7 ? i / rows : ''}\n`;
        if (part.length > 1e6) {
          if (!out.write(part)) await once(out, 'drain');
          part = '';
        }
      }
      out.end(part);
      await once(out, 'finish');
      armature('report', file);
      const {page, seen, close} = await open(browser, join(folder, 'long.html'));
      await page.waitForFunction(() => window.armature.plots.length >= 1);
      console.log(`${rows} rows: opened in ${seen.opened} ms, ${(readFileSync(join(folder, 'long.html')).length / 1e6).toFixed(2)} MB`);
      assert.ok(seen.opened < 3000, `${seen.opened} ms`);
      assert.deepEqual(seen.errors, []);
      await page.evaluate(() => window.armature.showEverything());
      const highest = await page.evaluate(() => Math.max(...window.armature.plots.find(p => p.labels.includes('a')).plot.data[1]));
      assert.equal(highest, 99);
      await close();
    },
  );

  it('an index leads to every page, each with its picture and verdict', async () => {
    armature('report', folder);
    const {page, seen, close} = await open(browser, join(folder, 'index.html'));
    const cards = await page.evaluate(() =>
      [...document.querySelectorAll('.card')].map(c => [c.getAttribute('href'), c.querySelectorAll('path, circle, rect').length > 0]),
    );
    assert.ok(cards.length >= 8);
    for (const [link] of cards) assert.ok(existsSync(join(folder, link)), link);
    assert.ok(cards.filter(([, drawn]) => drawn).length >= 7);
    for (const name of ['derive', 'equations'])
      assert.ok((await page.locator(`.card[href$="/${name}/index.html"] .thumb math`).count()) > 0, `${name} shows its first equations`);
    assert.match(await page.evaluate(() => document.body.innerText), /2 of 3 claims hold/);
    assert.deepEqual(seen.errors, []);
    await close();
  });

  it('an index has a heading and an order of its own where they are asked for', async () => {
    armature('report', folder, '--title', 'A story', '--order', 'validate,identify,simulate');
    const {page, close} = await open(browser, join(folder, 'index.html'));
    assert.equal(await page.locator('h1').innerText(), 'A story');
    const names = await page.locator('.card h3').allInnerTexts();
    assert.deepEqual(names.slice(0, 3), ['validate', 'identify', 'simulate']);
    assert.deepEqual(names.slice(3), [...names.slice(3)].sort(), 'the rest by name');
    assert.throws(
      () => armature('report', folder, '--order', 'identify,vaildate'),
      /--order: no further folder 'vaildate'[^]*did you mean 'validate'/,
    );
    await close();
  });

  it('prints on white paper', async () => {
    const {page, seen, close} = await open(browser, join(folder, 'everything', 'index.html'), {theme: 'dark'});
    await page.evaluate(() => window.armature.showEverything());
    const pdf = await page.pdf();
    assert.ok(pdf.length > 50_000);
    assert.deepEqual(seen.errors, []);
    await close();
  });
});
