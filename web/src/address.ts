// What is shown, kept in the page's address: whoever gets the link sees the same time, the same zoom and the same unit.
import type {Clock} from './clock';
import {inDegrees, onUnits, showDegrees} from './units';

export interface View {
  degrees: boolean;
  /** Time and zoom of each clock that was moved. */
  clocks: Map<number, {t: number; from: number; to: number}>;
}

/** "deg&1=0.5,0.25,0.75": clock 1 at 0.5 s, showing 0.25 s to 0.75 s. Anything else in an address is left alone. */
export function readView(hash: string): View | undefined {
  const words = hash.replace(/^#/, '').split('&');
  const view: View = {degrees: false, clocks: new Map()};
  let known = false;
  for (const word of words) {
    const numbers = /^(\d+)=(-?[\d.e+-]+),(-?[\d.e+-]+),(-?[\d.e+-]+)$/.exec(word)?.slice(1).map(Number);
    if (word === 'deg') view.degrees = known = true;
    else if (numbers?.every(Number.isFinite)) {
      const [clock, t, from, to] = numbers;
      view.clocks.set(clock, {t, from, to});
      known = true;
    }
  }
  return known ? view : undefined;
}

export function writeView(view: View): string {
  const digits = (x: number) => String(Number(x.toPrecision(6)));
  const clocks = [...view.clocks].map(([k, c]) => `${k}=${[c.t, c.from, c.to].map(digits).join(',')}`);
  return [...(view.degrees ? ['deg'] : []), ...clocks].join('&');
}

/** Puts the view of the address on the page, and from then on the page's view into the address. */
export function followAddress(clocks: Clock[]) {
  const given = readView(location.hash);
  if (given) {
    showDegrees(given.degrees);
    for (const [k, {t, from, to}] of given.clocks)
      if (clocks[k]) {
        if (to > from) clocks[k].zoom(from, to);
        clocks[k].set(t);
      }
  }
  let waiting = 0;
  const keep = () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      const moved = clocks.flatMap((c, k) => (c.t !== c.begin || c.isZoomed ? [[k, {t: c.t, from: c.from, to: c.to}] as const] : []));
      const text = writeView({degrees: inDegrees(), clocks: new Map(moved)});
      if (text || readView(location.hash)) history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
    }, 300);
  };
  for (const clock of clocks) {
    clock.onMove(() => {
      if (!clock.playing) keep();
    });
    clock.onZoom(keep);
    clock.onState(keep);
  }
  onUnits(keep);
}
