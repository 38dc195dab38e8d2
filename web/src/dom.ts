// Elements made from text, never from markup: names from outside cannot become anything else.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

const svgSpace = 'http://www.w3.org/2000/svg';

function fill(element: Element, attributes: Attributes, children: Child[]) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** h('p', {class: 'note'}, 'text') */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(svgSpace, tag);
  fill(element, attributes, children);
  return element;
}

/** Runs once, when the element comes near the window, or when the page is printed. */
export function whenSeen(element: Element, action: () => void) {
  let done = false;
  const act = () => {
    if (done) return;
    done = true;
    observer.disconnect();
    waiting.delete(act);
    action();
  };
  const observer = new IntersectionObserver(
    entries => {
      if (entries.some(e => e.isIntersecting)) act();
    },
    {rootMargin: '600px'},
  );
  observer.observe(element);
  waiting.add(act);
}
const waiting = new Set<() => void>();
export function showEverything() {
  while (waiting.size) for (const act of [...waiting]) act();
}
addEventListener('beforeprint', showEverything);

export function download(name: string, content: Blob | string, type = 'text/plain') {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], {type}) : content);
  const link = h('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const fileName = (title: string) =>
  title
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 80) || 'figure';
