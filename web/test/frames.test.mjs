// What a frame costs while a robot with its maker's meshes moves: triangles, calls of WebGL, and time of scripts on the main thread.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {chromium, launch, open} from './browser.mjs';

const root = new URL('../..', import.meta.url).pathname;
const program = process.env.ARMATURE_PROGRAM ?? join(root, 'build/armature');
const robots = join(root, '../shared/robots');
const missing = !chromium
  ? 'no browser here (apt install chromium, or name one in CHROME)'
  : !existsSync(new URL('../node_modules/playwright-core', import.meta.url))
    ? 'no playwright-core here (npm ci)'
    : !existsSync(join(dirname(program), 'armature-mesh-reader'))
      ? `no reader of meshes beside ${program}`
      : !existsSync(robots)
        ? '../shared/robots is absent'
        : '';
if (missing) console.log(`SKIP: ${missing}`);

const makers = {
  ur3: ['example-robot-data/robots/ur_description/urdf/ur3_robot.urdf', 6, ''],
  gen3: ['ros_kortex/kortex_description/arms/gen3/7dof/urdf/GEN3-7DOF-VISION_ARM_URDF_V12.urdf', 7, 'ros_kortex'],
  bravo7: ['example-robot-data/robots/bravo7_description/urdf/bravo7_gripper.urdf', 6, ''],
};
const frames = 40;

/** Plays a page's motion frame by frame; what the slowest kind of work did in them. */
const play = (page, count) =>
  page.evaluate(async count => {
    const gl = WebGL2RenderingContext.prototype,
      done = {calls: 0, triangles: 0};
    const kept = {};
    for (const [name, at] of [
      ['drawElements', 1],
      ['drawArrays', 2],
    ]) {
      kept[name] = gl[name];
      gl[name] = function (...given) {
        done.calls += 1;
        if (given[0] === this.TRIANGLES) done.triangles += given[at] / 3;
        return kept[name].apply(this, given);
      };
    }
    const clock = window.armature.clocks[0];
    for (let k = 0; k < count; ++k) {
      clock.set(clock.begin + ((clock.end - clock.begin) * k) / count);
      await new Promise(next => requestAnimationFrame(() => requestAnimationFrame(next)));
    }
    Object.assign(gl, kept);
    return {calls: done.calls / count, triangles: done.triangles / count};
  }, count);

describe('frames', {skip: missing || false}, () => {
  const folder = mkdtempSync(join(missing ? tmpdir() : dirname(program), 'frames-'));
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, {recursive: true, force: true});
  });
  for (const [name, [file, joints, packages]] of Object.entries(makers))
    it(`${name} moves with its meshes in few triangles and little time`, async () => {
      const out = join(folder, name),
        scenario = join(folder, `${name}.yaml`);
      writeFileSync(
        scenario,
        `scenario: ${name}\nrobot: ${join(robots, file)}\nlimits: ignore\n` +
          `reference: {kind: polynomial, to: [${Array(joints).fill('30 deg')}], duration: 0.9 s}\n` +
          'controller: {kind: computed_torque, kp: 100, kd: 20}\nrun: {duration: 1 s}\n',
      );
      execFileSync(program, ['simulate', scenario, '-o', out, '--packages', join(robots, packages)], {stdio: 'pipe'});
      const written = join(out, 'index.html');
      assert.ok(statSync(written).size < 4e6, `${statSync(written).size} bytes`);
      const {page, seen, close} = await open(browser, written);
      await page.evaluate(() => window.armature.showEverything());
      await page.waitForFunction(() => window.armature.scenes[0].triangles().visible);
      const inspector = await page.context().newCDPSession(page);
      await inspector.send('Performance.enable', {timeDomain: 'threadTicks'}); // processor time: a busy machine does not count
      const script = async () =>
        (await inspector.send('Performance.getMetrics')).metrics.find(metric => metric.name === 'ScriptDuration').value;
      await play(page, 10); // compiled, and everything drawn once
      const begin = await script(),
        work = await play(page, frames),
        spent = (1e3 * (await script()) - 1e3 * begin) / frames;
      console.log(`${name}: ${spent.toFixed(2)} ms of scripts, ${work.triangles} triangles in ${work.calls} calls a frame`);
      const {mesh} = await page.evaluate(() => window.armature.scenes[0].triangles());
      assert.ok(mesh > 5000, `the meshes are there: ${mesh} triangles`);
      assert.ok(work.triangles >= mesh && work.triangles < 150_000, `${work.triangles} triangles`);
      assert.ok(work.calls < 300, `${work.calls} calls`);
      assert.ok(spent < 6, `${spent} ms`);
      assert.deepEqual(seen.errors, []);
      await close();
    });
});
