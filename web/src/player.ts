// Play, slide, read the time.
import type {Clock} from './clock';
import {h} from './dom';

export function player(clock: Clock): HTMLElement {
  const play = h('button', {type: 'button', class: 'play', title: 'play or pause (space)', click: () => clock.toggle()}, '▶');
  const slider = h('input', {type: 'range', min: 0, max: 1000, step: 1, value: 0, 'aria-label': 'time'});
  const reading = h('output', {class: 'now'});
  const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 10];
  if (!speeds.includes(clock.speed)) speeds.push(clock.speed);
  const speed = h(
    'select',
    {title: 'speed', 'aria-label': 'speed'},
    ...speeds.map(v => h('option', {value: v, selected: v === clock.speed}, `${v}×`)),
  );
  speed.addEventListener('change', () => clock.setSpeed(Number(speed.value)));
  slider.addEventListener('input', () => {
    clock.pause();
    clock.set(clock.begin + ((clock.end - clock.begin) * Number(slider.value)) / 1000);
  });
  slider.addEventListener('keydown', event => {
    if (event.key === ' ') {
      event.preventDefault();
      clock.toggle();
    }
    event.stopPropagation();
  });
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(clock.end - clock.begin))));
  const show = (t: number) => {
    slider.value = String((1000 * (t - clock.begin)) / (clock.end - clock.begin));
    reading.textContent = `${t.toFixed(digits).replace('-', '−')} s`;
  };
  clock.onMove(show);
  clock.onState(() => {
    play.textContent = clock.playing ? '❚❚' : '▶';
    play.setAttribute('aria-pressed', String(clock.playing));
    speed.value = String(clock.speed);
  });
  show(clock.t);
  return h('div', {class: 'player'}, play, slider, reading, speed);
}
