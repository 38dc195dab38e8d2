// A browser that shows a page as a person would see it, and says what went wrong.
import {spawnSync} from 'node:child_process';
import {fileURLToPath, pathToFileURL} from 'node:url';

/** The path of a browser, '' where there is none. */
export const chromium = spawnSync(fileURLToPath(new URL('../browser.sh', import.meta.url)), {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
}).stdout.trim();

export async function launch() {
  const {chromium: driver} = await import('playwright-core');
  return driver.launch({
    executablePath: chromium,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--enable-unsafe-swiftshader',
    ],
  });
}

/** Opens a file; `seen` collects complaints of the console and everything that was asked for. */
export async function open(browser, file, {theme = 'light', width = 1280, height = 900, scale = 1} = {}) {
  const context = await browser.newContext({
    viewport: {width, height},
    colorScheme: theme,
    deviceScaleFactor: scale,
    hasTouch: width < 600,
  });
  const page = await context.newPage();
  const seen = {errors: [], requests: []};
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !/GL Driver|GPU stall|swiftshader/i.test(message.text()))
      seen.errors.push(message.text());
  });
  page.on('pageerror', error => seen.errors.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith('data:') && !request.url().startsWith('blob:')) seen.requests.push(request.url());
  });
  const url = pathToFileURL(file).href;
  const begin = Date.now();
  await page.goto(url);
  await page.waitForFunction(() => window.armature !== undefined);
  seen.opened = Date.now() - begin;
  return {page, seen, url, close: () => context.close()};
}
