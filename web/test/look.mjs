// node test/look.mjs OUT PAGE...: pictures of pages, both themes and a phone, for people to look at.
import {basename, dirname} from 'node:path';
import {mkdirSync} from 'node:fs';
import {launch, open} from './browser.mjs';

const [out, ...pages] = process.argv.slice(2);
mkdirSync(out, {recursive: true});
const browser = await launch();
for (const file of pages) {
  const name = basename(file) === 'index.html' ? basename(dirname(file)) : basename(file, '.html');
  for (const [kind, settings] of Object.entries({light: {}, dark: {theme: 'dark'}, phone: {width: 390, height: 844}})) {
    const {page, seen, close} = await open(browser, file, settings);
    await page.evaluate(() => {
      window.armature.showEverything();
      for (const c of window.armature.clocks) c.set(c.begin + 0.6 * (c.end - c.begin));
    });
    await page.waitForTimeout(700);
    await page.screenshot({path: `${out}/${name}_${kind}.png`, fullPage: true});
    if (seen.errors.length) console.log(name, kind, seen.errors);
    await close();
  }
}
await browser.close();
