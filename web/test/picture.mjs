// node test/picture.mjs PAGE PNG [light|dark] [SHARE] [SCALE] [SELECTOR] [WIDTH]: the upper part of a page as the browser shows it, or what SELECTOR
// names; its arm at that share of the time.
import {chromium, launch, open} from './browser.mjs';

const [file, out, theme = 'light', share = '0.45', scale = '1.5', selector, width = '1280'] = process.argv.slice(2);
if (!chromium) {
  console.log('SKIP: no browser here');
  process.exit(77);
}
let browser;
try {
  browser = await launch();
} catch (error) {
  console.log(`SKIP: ${error.message}`);
  process.exit(77);
}
const {page, seen} = await open(browser, file, {theme, width: Number(width), height: 860, scale: Number(scale)});
await page.evaluate(part => {
  for (const c of window.armature.clocks) c.set(c.begin + part * (c.end - c.begin));
}, Number(share));
await page.waitForTimeout(500);
if (selector) {
  await page.evaluate(() => window.armature.showEverything());
  await page.waitForTimeout(500);
}
await (selector ? page.locator(selector).first() : page).screenshot({path: out});
await browser.close();
if (seen.errors.length) {
  console.log(seen.errors.join('\n'));
  process.exit(1);
}
