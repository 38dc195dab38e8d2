// Numbers as people read them.

/** Four significant digits, a true minus sign, powers of ten where they help. */
export function short(x: number, digits = 4): string {
  if (Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  let text: string;
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, power] = x.toExponential(digits - 1).split('e');
    text = `${mantissa.replace(/\.?0+$/, '')}·10${superscript(Number(power))}`;
  } else {
    text = String(Number(x.toPrecision(digits)));
  }
  return text.replace('-', '−');
}

const raised: Record<string, string> = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};
export const superscript = (n: number) =>
  String(n)
    .split('')
    .map(c => raised[c])
    .join('');

/** "N m s/rad^2" as it is set: "N·m·s/rad²". */
export const unitText = (unit: string) =>
  unit
    .split(' or ')
    .map(u => u.replace(/\^(-?\d+)/g, (_, n) => superscript(Number(n))).replace(/\s*\*\s*|\s+/g, '·'))
    .join(' or ');

/** "torque [N·m]" */
export const withUnit = (label: string, unit: string) => (unit ? `${label} [${unitText(unit)}]` : label);

/** Round values between low and high, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count),
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(k => k >= rough * 0.999) ?? 10 * power;
  if (count < 12 && Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) < 1) return ticks(low, high, count + 2); // two at least
  const first = Math.ceil(low / step - 1e-9),
    last = Math.floor(high / step + 1e-9);
  return Array.from({length: Math.max(0, last - first + 1)}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export function logTicks(low: number, high: number): {at: number; major: boolean}[] {
  const found: {at: number; major: boolean}[] = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); ++p)
    for (let k = 1; k < 10; ++k) {
      const at = Number((k * 10 ** p).toPrecision(12));
      if (at >= low * (1 - 1e-6) && at <= high * (1 + 1e-6)) found.push({at, major: k === 1}); // equal in single precision
    }
  return found;
}

/** Labels of ticks, all with the same number of decimals. */
export function tickLabels(values: number[]): string[] {
  const size = Math.max(...values.map(Math.abs));
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return values.map(v => short(v, 3));
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (values.some(v => Math.abs(v * 10 ** decimals - Math.round(v * 10 ** decimals)) > 1e-6)) ++decimals;
  return values.map(v => v.toFixed(Math.min(decimals, 9)).replace('-', '−'));
}

/** The range of a plot: what is drawn, and limits that are not far from it. */
export function rangeWith(low: number, high: number, limits: {value: number; upper: boolean}[]): [number, number] {
  const span = high - low || Math.abs(high) || 1;
  for (const {value, upper} of limits) {
    if (upper && value > high && value < high + span / 2) high = value;
    if (!upper && value < low && value > low - span / 2) low = value;
  }
  const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}
