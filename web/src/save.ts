// What is seen, as a file: SVG, PNG, CSV.
import {download, fileName} from './dom';
import {css} from './theme';

function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', css('paper'));
  copy.insertBefore(paper, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

export const saveSvg = (svg: SVGSVGElement, title: string) => download(`${fileName(title)}.svg`, svgText(svg), 'image/svg+xml');

/** Twice as sharp as the screen shows it. */
export async function savePng(svg: SVGSVGElement, title: string) {
  const picture = new Image();
  picture.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svgText(svg));
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * svg.width.baseVal.value;
  canvas.height = 2 * svg.height.baseVal.value;
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(blob => {
    if (blob) download(`${fileName(title)}.png`, blob);
  });
}

/** A cell never starts a formula in a spreadsheet and never breaks its row. */
const cell = (text: string) => {
  const safe = /^[=+@\t\r]/.test(text) || /^-\D/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export function saveCsv(title: string, header: string[], columns: (ArrayLike<number> | string[])[]) {
  const rows = Math.max(0, ...columns.map(c => c.length));
  const lines = [header.map(cell).join(',')];
  for (let i = 0; i < rows; ++i)
    lines.push(
      columns
        .map(c => {
          const v = c[i];
          return v === undefined || (typeof v === 'number' && Number.isNaN(v)) ? '' : typeof v === 'number' ? String(v) : cell(v);
        })
        .join(','),
    );
  download(`${fileName(title)}.csv`, lines.join('\n') + '\n', 'text/csv');
}
