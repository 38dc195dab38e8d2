// Two classic scripts: the page (bundle.mjs puts it and its style sheet into a single file) and the formulas of the documentation.
import {defineConfig} from 'vite';

const site = process.env.PART === 'site';
export default defineConfig({
  logLevel: 'warn',
  build: {
    outDir: 'build',
    emptyOutDir: !site,
    target: 'es2022',
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    lib: {
      entry: site ? 'src/site.ts' : 'src/main.ts',
      formats: ['iife'],
      name: 'armature',
      fileName: () => (site ? 'math.js' : 'page.js'),
      cssFileName: 'page',
    },
  },
});
