// LaTeX of equations, as the program writes it, set as MathML. What is not known is shown as it stands.
import {h} from './dom';

const mathSpace = 'http://www.w3.org/1998/Math/MathML';
function m(tag: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): Element {
  const element = document.createElementNS(mathSpace, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const letters: Record<string, string> = {
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  epsilon: 'ϵ',
  varepsilon: 'ε',
  zeta: 'ζ',
  eta: 'η',
  theta: 'θ',
  vartheta: 'ϑ',
  iota: 'ι',
  kappa: 'κ',
  lambda: 'λ',
  mu: 'μ',
  nu: 'ν',
  xi: 'ξ',
  pi: 'π',
  rho: 'ρ',
  sigma: 'σ',
  tau: 'τ',
  phi: 'ϕ',
  varphi: 'φ',
  chi: 'χ',
  psi: 'ψ',
  omega: 'ω',
  Gamma: 'Γ',
  Delta: 'Δ',
  Theta: 'Θ',
  Lambda: 'Λ',
  Xi: 'Ξ',
  Pi: 'Π',
  Sigma: 'Σ',
  Phi: 'Φ',
  Psi: 'Ψ',
  Omega: 'Ω',
  ell: 'ℓ',
  infty: '∞',
  partial: '∂',
  nabla: '∇',
};
const signs: Record<string, string> = {
  cdot: '·',
  times: '×',
  pm: '±',
  mp: '∓',
  le: '≤',
  leq: '≤',
  ge: '≥',
  geq: '≥',
  ne: '≠',
  neq: '≠',
  approx: '≈',
  equiv: '≡',
  to: '→',
  rightarrow: '→',
  sum: '∑',
  prod: '∏',
  int: '∫',
  in: '∈',
  top: '⊤',
  dots: '…',
  ldots: '…',
  cdots: '⋯',
  vdots: '⋮',
  ddots: '⋱',
  colon: ':',
  mid: '|',
  lVert: '‖',
  rVert: '‖',
  circ: '∘',
  quad: ' ',
  qquad: '  ',
  ',': ' ',
  ';': ' ',
  '!': '',
  ' ': ' ',
  '{': '{',
  '}': '}',
  '|': '‖',
  '%': '%',
  '&': '&',
  _: '_',
};
const words = new Set([
  'sin',
  'cos',
  'tan',
  'arcsin',
  'arccos',
  'arctan',
  'sinh',
  'cosh',
  'tanh',
  'exp',
  'log',
  'ln',
  'min',
  'max',
  'det',
  'diag',
  'sign',
  'sgn',
  'arg',
  'rank',
]);
const accents: Record<string, string> = {
  dot: '.',
  ddot: '..',
  hat: '^',
  widehat: '^',
  tilde: '~',
  widetilde: '~',
  bar: '¯',
  overline: '¯',
  vec: '→',
};

const combining: Record<string, string> = {dot: '\u0307', ddot: '\u0308', hat: '\u0302', tilde: '\u0303', bar: '\u0304'};

type Token = {kind: 'command' | 'text'; value: string};
function tokens(source: string): Token[] {
  const found: Token[] = [];
  for (const [, command, other] of source.matchAll(/\\([A-Za-z]+|.)\s*|(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\S)\s*/gsu))
    found.push(command !== undefined ? {kind: 'command', value: command} : {kind: 'text', value: other});
  return found;
}

class Parser {
  private i = 0;
  constructor(private readonly list: Token[]) {}
  private peek() {
    return this.list[this.i];
  }
  private is(value: string, kind: Token['kind'] = 'text') {
    const t = this.peek();
    return !!t && t.kind === kind && t.value === value;
  }

  row(ends: (t: Token) => boolean = () => false): Element[] {
    const items: Element[] = [];
    while (this.peek() && !ends(this.peek())) {
      let atom = this.atom();
      if (!atom) continue;
      let low: Element | undefined, high: Element | undefined;
      for (;;) {
        if (this.is('_')) {
          ++this.i;
          low = this.argument();
        } else if (this.is('^')) {
          ++this.i;
          high = this.argument();
        } else if (this.is("'")) {
          ++this.i;
          high = m('mo', {}, '′');
        } else break;
      }
      if (low && high) atom = m('msubsup', {}, atom, low, high);
      else if (low) atom = m('msub', {}, atom, low);
      else if (high) atom = m('msup', {}, atom, high);
      items.push(atom);
    }
    return items;
  }
  private argument(): Element {
    return this.atom() ?? m('mrow');
  }
  private plainText(): string {
    let text = '';
    if (this.is('{')) {
      ++this.i;
      while (this.peek() && !this.is('}'))
        text += (text && this.peek().kind === 'text' && this.peek().value.length > 1 ? ' ' : '') + this.list[this.i++].value;
      ++this.i;
    }
    return text;
  }
  private atom(): Element | undefined {
    const t = this.list[this.i++];
    if (!t) return undefined;
    if (t.kind === 'text') {
      if (t.value === '{') {
        const inner = this.row(u => u.kind === 'text' && u.value === '}');
        ++this.i;
        return inner.length === 1 ? inner[0] : m('mrow', {}, ...inner);
      }
      if (t.value === '}') return undefined;
      if (t.value === '&') return undefined;
      if (/^\d/.test(t.value)) return m('mn', {}, t.value);
      if (/^\p{L}/u.test(t.value)) return m('mi', {}, t.value);
      return m('mo', '()[]|'.includes(t.value) ? {stretchy: 'false'} : {}, t.value === '-' ? '−' : t.value === '*' ? '·' : t.value);
    }
    const c = t.value;
    if (letters[c]) return m('mi', {}, letters[c]);
    if (words.has(c)) return m('mrow', {}, m('mi', {}, c), m('mspace', {width: '0.12em'}));
    if (c === 'frac' || c === 'tfrac' || c === 'dfrac') return m('mfrac', {}, this.argument(), this.argument());
    if (c === 'sqrt') return m('msqrt', {}, this.argument());
    if (combining[c]) {
      const under = this.argument();
      if (under.nodeName === 'mi' && [...under.textContent!].length === 1)
        return m('mi', {style: 'font-style: italic'}, under.textContent + combining[c]);
      return m('mover', {accent: 'true'}, under, m('mo', {stretchy: 'false', class: 'accent'}, accents[c]));
    }
    if (accents[c]) return m('mover', {accent: 'true'}, this.argument(), m('mo', {stretchy: 'false', class: 'accent'}, accents[c]));
    if (['mathrm', 'text', 'operatorname', 'mbox', 'mathit', 'textrm'].includes(c)) return m('mtext', {}, this.plainText());
    if (['mathbf', 'boldsymbol', 'bm', 'mathbb', 'mathcal'].includes(c)) {
      const inner = this.argument();
      inner.setAttribute('style', 'font-weight: bold');
      return inner;
    }
    if (c === 'left') return this.fenced();
    if (c === 'right' || c === 'big' || c === 'Big' || c === 'bigl' || c === 'bigr') {
      const next = this.list[this.i++];
      return !next || next.value === '.' ? undefined : m('mo', {stretchy: 'false', fence: 'true'}, this.delimiter(next));
    }
    if (c === 'begin') return this.environment(this.plainText());
    if (c === 'end') {
      this.plainText();
      return undefined;
    }
    if (c === '\\') return undefined;
    if (c === 'quad' || c === 'qquad' || c === ',' || c === ';' || c === ' ')
      return m('mspace', {width: c === 'qquad' ? '2em' : c === 'quad' ? '1em' : '0.2em'});
    if (signs[c] !== undefined) return m('mo', {}, signs[c]);
    return m('mtext', {}, `\\${c}`);
  }
  private delimiter(t: Token | undefined): string {
    return !t || t.value === '.' ? '' : t.kind === 'command' ? (signs[t.value] ?? '') : t.value;
  }
  /** \left( ... \right): brackets grow only about what is tall. */
  private fenced(): Element {
    const open = this.delimiter(this.list[this.i++]);
    const inner = this.row(t => t.kind === 'command' && t.value === 'right');
    ++this.i;
    const close = this.delimiter(this.list[this.i++]);
    const tall = String(inner.some(e => e.matches('mfrac, mtable, msqrt') || e.querySelector('mfrac, mtable, msqrt')));
    const fence = (text: string) => m('mo', {stretchy: tall, fence: 'true', lspace: '0', rspace: '0'}, text);
    return m(
      'mrow',
      tall === 'true' ? {} : {class: 'brackets'},
      ...(open ? [fence(open)] : []),
      ...inner,
      ...(close ? [fence(close)] : []),
    );
  }
  private environment(name: string): Element {
    if (name === 'array') this.plainText();
    const rows: Element[] = [];
    let cells: Element[] = [];
    const ends = (t: Token) => (t.kind === 'text' && t.value === '&') || (t.kind === 'command' && (t.value === '\\' || t.value === 'end'));
    for (;;) {
      cells.push(m('mtd', {}, ...this.row(ends)));
      const t = this.list[this.i++];
      if (t && t.value === '&') continue;
      rows.push(m('mtr', {}, ...cells));
      cells = [];
      if (!t || t.value === 'end') break;
    }
    this.plainText();
    const table = m(
      'mtable',
      /align|split|gather|cases/.test(name) ? {columnalign: 'right left', displaystyle: 'true', class: 'aligned'} : {},
      ...rows.filter(r => r.textContent !== ''),
    );
    const around = {bmatrix: '[]', pmatrix: '()', vmatrix: '||', cases: '{ '}[name];
    return around
      ? m(
          'mrow',
          {},
          m('mo', {fence: 'true', stretchy: 'true'}, around[0]),
          table,
          around[1].trim() ? m('mo', {fence: 'true', stretchy: 'true'}, around[1]) : m('mrow'),
        )
      : table;
  }
}

/** What lies in a row and in the brackets of it that do not grow. */
const flat = (items: Element[]): Element[] => items.flatMap(e => (e.classList.contains('brackets') ? flat([...e.children]) : [e]));

/** A row cut before its plus and minus signs, each with its space: a browser breaks lines between formulas, but not within one. */
function terms(items: Element[]): Element[][] {
  const found: Element[][] = [[]];
  flat(items).forEach((e, i, all) => {
    const before = all[i - 1],
      sign = e.nodeName === 'mo' && (e.textContent === '+' || e.textContent === '−');
    if (sign && before && (before.nodeName !== 'mo' || before.textContent === ')')) (e.setAttribute('form', 'infix'), found.push([]));
    found.at(-1)!.push(e);
  });
  return found;
}

export function math(source: string, display: boolean): HTMLElement {
  const clean = source
    .trim()
    .replace(/^\$+|\$+$/g, '')
    .replace(/^\\\[|\\\]$/g, '');
  const row = new Parser(tokens(clean)).row();
  const holder = h(display ? 'div' : 'span', {class: display ? 'equation' : 'inline-equation', title: clean.length < 400 ? clean : ''});
  const long = display && row.reduce((sum, e) => sum + e.textContent!.length, 0) > 20 ? terms(row) : [];
  if (long.length > 1) {
    holder.classList.add('long');
    for (const term of long) holder.append(m('math', {displaystyle: 'true'}, ...term), '\u200b'); // where a line may end
  } else {
    holder.append(m('math', display ? {display: 'block'} : {}, ...row));
  }
  return holder;
}

/** An equation text: one block a display, lines split at blank lines. */
export function equations(source: string): HTMLElement {
  return h(
    'div',
    {class: 'equations'},
    ...source
      .split(/\n\s*\n/)
      .filter(part => part.trim())
      .map(part => math(part, true)),
  );
}
