// One time for every plot and every arm on the page: moved by the pointer, the keys, the slider and the player.

type Listener = (t: number) => void;

export class Clock {
  t = 0;
  playing = false;
  speed = 1;
  begin = 0;
  end = 1;
  /** What the plots show; the whole run unless zoomed. */
  from = 0;
  to = 1;
  private readonly moved = new Set<Listener>();
  private readonly zoomed = new Set<() => void>();
  private readonly changed = new Set<() => void>();
  private last = 0;

  span(begin: number, end: number) {
    this.begin = this.from = this.t = begin;
    this.end = this.to = Math.max(end, begin + 1e-9);
    const length = this.end - this.begin;
    this.speed = length > 60 ? 4 : length < 0.8 ? 0.1 : length < 2.5 ? 0.5 : 1;
  }
  onMove(listener: Listener) {
    this.moved.add(listener);
  }
  onZoom(listener: () => void) {
    this.zoomed.add(listener);
  }
  onState(listener: () => void) {
    this.changed.add(listener);
  }

  set(t: number) {
    this.t = Math.min(this.end, Math.max(this.begin, t));
    for (const listener of this.moved) listener(this.t);
  }
  zoom(from: number, to: number) {
    const least = (this.end - this.begin) * 1e-6;
    this.from = Math.max(this.begin, from);
    this.to = Math.min(this.end, Math.max(to, this.from + least));
    for (const listener of this.zoomed) listener();
  }
  get isZoomed() {
    return this.from > this.begin || this.to < this.end;
  }
  reset() {
    this.zoom(this.begin, this.end);
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }
  play() {
    if (this.playing) return;
    if (this.t >= this.to - 1e-9 * (this.end - this.begin)) this.set(this.from);
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(now => this.frame(now));
    for (const listener of this.changed) listener();
  }
  pause() {
    this.playing = false;
    for (const listener of this.changed) listener();
  }
  setSpeed(speed: number) {
    this.speed = speed;
    for (const listener of this.changed) listener();
  }
  private frame(now: number) {
    if (!this.playing) return;
    const next = this.t + Math.min(0.1, (now - this.last) / 1000) * this.speed;
    this.last = now;
    this.set(next);
    if (this.t >= this.end) this.pause();
    else requestAnimationFrame(later => this.frame(later));
  }
}

export function listenToKeys(clock: Clock, toggleTheme: () => void) {
  addEventListener('keydown', event => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input[type=text], select, textarea')) return;
    if (event.key === ' ' && target.closest('button, summary, a')) return;
    const step = (clock.to - clock.from) * (event.shiftKey ? 0.05 : 0.005);
    const actions: Record<string, () => void> = {
      ' ': () => clock.toggle(),
      ArrowRight: () => clock.set(clock.t + step),
      ArrowLeft: () => clock.set(clock.t - step),
      Home: () => clock.set(clock.begin),
      End: () => clock.set(clock.end),
      Escape: () => clock.reset(),
      '+': () => clock.zoom(clock.t - (clock.t - clock.from) / 2, clock.t + (clock.to - clock.t) / 2),
      '-': () => clock.zoom(clock.t - (clock.t - clock.from) * 2, clock.t + (clock.to - clock.t) * 2),
      t: toggleTheme,
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
}
