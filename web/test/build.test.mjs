// What is committed in dist/ is what the sources give.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {it} from 'node:test';

const web = new URL('..', import.meta.url).pathname;
const missing = existsSync(join(web, 'node_modules/vite')) ? false : 'no vite here (npm ci in web/)';
if (missing) console.log(`SKIP: ${missing}`);

it('dist/ is built from the sources as they are', {skip: missing, timeout: 300_000}, () => {
  const build = mkdtempSync(join(web, 'build-test-'));
  try {
    const run = (part, ...args) => execFileSync('npx', args, {cwd: web, env: {...process.env, PART: part}, stdio: 'pipe'});
    run('', 'tsc', '--noEmit');
    run('', 'vite', 'build', '--outDir', build);
    run('site', 'vite', 'build', '--outDir', build);
    execFileSync('node', ['bundle.mjs', build, `${build}/dist`], {cwd: web, stdio: 'pipe'});
    for (const file of ['page.html', 'math.js'])
      assert.ok(readFileSync(join(build, 'dist', file)).equals(readFileSync(join(web, 'dist', file))), `dist/${file} is out of date: run npm run build in web/ and commit it`);
  } finally {
    rmSync(build, {recursive: true, force: true});
  }
});

it('sources are laid out as prettier lays them out', {skip: missing}, () => {
  execFileSync('npm', ['run', '--silent', 'laid-out'], {cwd: web, stdio: 'pipe'});
});

it('no address of a registry stands in package-lock.json', () => {
  assert.ok(!readFileSync(join(web, 'package-lock.json'), 'utf8').includes('"resolved"'));
});
