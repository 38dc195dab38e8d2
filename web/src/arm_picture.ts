// An arm in motion as a small drawing: where its tool went, where it began and where it ended.
import type {Figure} from './data';
import {s} from './dom';
import {unpack} from './log';

/** Draws what the index knows an arm by (report/internal/arm_picture.hpp): the tool's path, then postures, the last one in full. */
export function armPicture(figure: Figure, width: number, height: number): SVGSVGElement {
  const [path, ...postures] = figure.series.map(line => {
    const up = unpack(line.y);
    return Array.from(unpack(line.x), (x, i) => [x, -up[i]]);
  });
  const all = [path, ...postures].flat(),
    span = (k: number) => [Math.min(...all.map(p => p[k])), Math.max(...all.map(p => p[k]))];
  const [left, right] = span(0),
    [top, bottom] = span(1),
    margin = 16,
    scale = Math.min((width - 2 * margin) / Math.max(right - left, 1e-9), (height - 2 * margin) / Math.max(bottom - top, 1e-9));
  const x = (p: number[]) => width / 2 + scale * (p[0] - (left + right) / 2),
    y = (p: number[]) => height / 2 + scale * (p[1] - (top + bottom) / 2);
  const line = (points: number[][], attributes: Record<string, string | number>) =>
    s('polyline', {
      points: points.map(p => `${x(p).toFixed(1)},${y(p).toFixed(1)}`).join(' '),
      fill: 'none',
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      ...attributes,
    });
  const dot = (p: number[], r: number, fill: string) => s('circle', {cx: x(p).toFixed(1), cy: y(p).toFixed(1), r, fill});
  const now = postures[postures.length - 1];
  return s(
    'svg',
    {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'the arm and the path of its tool'},
    ...postures.slice(0, -1).map(p => line(p, {stroke: 'var(--link)', 'stroke-width': 6, opacity: 0.22})),
    line(path, {stroke: 'var(--trail)', 'stroke-width': 2}),
    line(now, {stroke: 'var(--link)', 'stroke-width': 7}),
    ...now.slice(0, -1).map(p => dot(p, 2.2, 'var(--paper)')),
    dot(now[now.length - 1], 4.5, 'var(--trail)'),
  );
}
