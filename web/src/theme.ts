// Colours: light and dark, told apart by people who see few colours [Okabe2008]; the second hue of each pair is for dark paper.

const series: [light: string, dark: string][] = [
  ['#0072b2', '#56b4e9'], // blue
  ['#d55e00', '#f0823c'], // vermilion
  ['#008f68', '#2fc79b'], // bluish green
  ['#b1578f', '#dd8fbf'], // reddish purple
  ['#9a6b00', '#e0a92e'], // ochre
  ['#3f9fd8', '#9ad2f5'], // sky blue
  ['#5b5f66', '#b9bec7'], // grey
  ['#7a4bb7', '#b79bea'], // violet
];

export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};

let printing = false;
export const colour = (i: number) => series[((i % series.length) + series.length) % series.length][isDark() && !printing ? 1 : 0];

/** How often the colours have been through before this one: what else must tell a curve from its namesake in colour. */
export const round = (i: number) => Math.max(0, Math.floor(i / series.length));

/** The line of a curve [px on, off, ...]: wanted values are dashed, curves beyond the last colour dotted, then dotted and dashed. */
export function dashes(hue: number, reference = false): number[] | undefined {
  const dots = Array.from({length: round(hue)}, () => [1.5, 3]).flat();
  return reference ? [5, 3, ...dots] : dots.length > 2 ? [10, 3, ...dots.slice(2)] : dots.length ? dots : undefined;
}

/** A colour of the style sheet. */
export const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const listeners = new Set<() => void>();
export const onTheme = (redraw: () => void) => {
  listeners.add(redraw);
};
const changed = () => {
  for (const redraw of listeners) redraw();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);

export function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  changed();
}

// Paper is white.
addEventListener('beforeprint', () => {
  printing = true;
  document.documentElement.dataset.print = '';
  changed();
});
addEventListener('afterprint', () => {
  printing = false;
  delete document.documentElement.dataset.print;
  changed();
});
