// node bundle.mjs [build [dist]]: page.js + page.css -> page.html, the template that the program carries. The data goes where the mark stands.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';

const [from, to] = [process.argv[2] ?? 'build', process.argv[3] ?? 'dist'].map(name => new URL(`${name}/`, new URL('.', import.meta.url)));
// A script element ends at the first "</script", whatever the program meant by it.
const script = readFileSync(new URL('page.js', from), 'utf8').trim().replaceAll('</script', '<\\/script');
const style = readFileSync(new URL('page.css', from), 'utf8').trim();
const hash = createHash('sha256').update(script).digest('base64');
// Whose work the page carries.
const licence = name => readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8').trim();
const [rest, three] = [licence('uplot'), licence('three')].map(text => text.split('\n'));
const notices = `uPlot: ${rest.find(l => l.startsWith('Copyright'))}\nthree.js: ${three.find(l => l.startsWith('Copyright'))}\n${rest.slice(rest.findIndex(l => l.startsWith('Permission'))).join('\n')}`;
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Armature">
<title><!--title--></title>
<style>${style}</style>
</head>
<body>
<noscript>This page draws its plots with a script that it carries itself; switch scripts on to see them.</noscript>
<main id="page"></main>
<script type="application/json" id="data"><!--data--></script>
<script>${script}</script>
<!--
This page contains, under the MIT License:
${notices}
-->
</body>
</html>
`;
if (html.split('<!--data-->').length !== 2 || html.split('<!--title-->').length !== 2) throw new Error('the marks are not unique');
mkdirSync(to, {recursive: true});
writeFileSync(new URL('page.html', to), html);
writeFileSync(new URL('math.js', to), readFileSync(new URL('math.js', from)));
console.log(`page.html: ${(Buffer.byteLength(html) / 1000).toFixed(0)} kB`);
