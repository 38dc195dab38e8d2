// A module of src/ for tests without a browser.
import {build} from 'esbuild';

/** src/NAME.ts with what it imports, as a module of node. */
export async function source(name) {
  const {outputFiles} = await build({
    entryPoints: [new URL(`../src/${name}.ts`, import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  return import('data:text/javascript;base64,' + Buffer.from(outputFiles[0].contents).toString('base64'));
}
