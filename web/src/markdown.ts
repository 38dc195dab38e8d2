// The Markdown that logs carry: headings, paragraphs, lists, tables, code, emphasis, links, $mathematics$. Never markup.
import {h} from './dom';
import {math} from './math';
import {unitText} from './numbers';

function inline(text: string): Node[] {
  const nodes: Node[] = [];
  let rest = text;
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\$([^$]+)\$|\[([^\]]+)\]\(([^)\s]+)\)/;
  for (;;) {
    const found = pattern.exec(rest);
    if (!found) break;
    nodes.push(document.createTextNode(rest.slice(0, found.index)));
    const [, code, strong, emphasis, formula, label, target] = found;
    if (code) nodes.push(h('code', {}, code));
    else if (strong) nodes.push(h('strong', {}, ...inline(strong)));
    else if (emphasis) nodes.push(h('em', {}, ...inline(emphasis)));
    else if (formula) nodes.push(math(formula, false));
    else
      nodes.push(
        /^(https?:|[\w./#-]+$)/.test(target) && !/^[a-z]+:(?!\/\/)/i.test(target)
          ? h('a', {href: target, rel: 'noreferrer'}, label)
          : document.createTextNode(label),
      );
    rest = rest.slice(found.index + found[0].length);
  }
  nodes.push(document.createTextNode(rest));
  return nodes;
}

export function markdown(source: string): HTMLElement {
  const holder = h('div', {class: 'text'}),
    lines = source.split('\n');
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (!line.trim()) {
      ++i;
      continue;
    }
    if (line.startsWith('```')) {
      const code: string[] = [];
      for (++i; i < lines.length && !lines[i].startsWith('```'); ++i) code.push(lines[i]);
      ++i;
      holder.append(h('pre', {}, code.join('\n')));
    } else if (/^#{1,4} /.test(line)) {
      holder.append(h('h4', {}, ...inline(line.replace(/^#+ /, ''))));
      ++i;
    } else if (/^\s*[-*] /.test(line)) {
      const list = h('ul');
      for (; i < lines.length && /^\s*[-*] /.test(lines[i]); ++i) list.append(h('li', {}, ...inline(lines[i].replace(/^\s*[-*] /, ''))));
      holder.append(list);
    } else if (line.startsWith('|')) {
      const rows: string[][] = [];
      for (; i < lines.length && lines[i].startsWith('|'); ++i)
        if (!/^[|\s:-]+$/.test(lines[i]))
          rows.push(
            lines[i]
              .replace(/^\||\|\s*$/g, '')
              .split('|')
              .map(c => c.trim()),
          );
      holder.append(table(rows[0] ?? [], rows.slice(1), inline));
    } else {
      const words: string[] = [];
      for (; i < lines.length && lines[i].trim() && !/^(```|#|\||\s*[-*] )/.test(lines[i]); ++i) words.push(lines[i].trim());
      if (words.length === 0) words.push(lines[i++]);
      holder.append(h('p', {}, ...inline(words.join(' '))));
    }
  }
  return holder;
}

const numeric = (text: string) => /^[-−+]?[\d.,]+(\s*[·×]?\s*(e|10)?[-+⁻]?\d*)?\s*(%|±.*)?$/i.test(text.trim()) || text.trim() === '';

/** Columns of numbers stand right. */
export function table(
  header: string[],
  rows: string[][],
  cell: (text: string) => Node[] = text => [document.createTextNode(text)],
): HTMLElement {
  const right = header.map((_, j) => rows.length > 0 && rows.every(r => numeric(r[j] ?? '')) && rows.some(r => (r[j] ?? '') !== ''));
  const text = (c: string, j: number) => (header[j] === 'unit' ? [document.createTextNode(unitText(c))] : cell(c));
  const kind = (c: string, j: number) => [right[j] ? 'number' : '', c.length < 18 ? 'short' : ''].filter(Boolean).join(' ') || undefined;
  return h(
    'div',
    {class: rows.length > 30 ? 'scroll long' : 'scroll'},
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...header.map((c, j) => h('th', {class: right[j] ? 'number' : undefined, scope: 'col'}, ...cell(c))))),
      h('tbody', {}, ...rows.map(r => h('tr', {}, ...header.map((_, j) => h('td', {class: kind(r[j] ?? '', j)}, ...text(r[j] ?? '', j)))))),
    ),
  );
}
