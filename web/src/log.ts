// A log with its numbers, unpacked: what the views draw from.
import type {Packed, PageLog} from './data';

export function unpack(packed: Packed | undefined): Float64Array {
  if (!packed) return new Float64Array(0);
  const bytes = Uint8Array.from(atob(packed.slice(3)), c => c.charCodeAt(0));
  return packed.startsWith('f8:') ? new Float64Array(bytes.buffer) : Float64Array.from(new Float32Array(bytes.buffer));
}

/** A channel with its numbers. */
export interface Channel {
  readonly name: string;
  readonly unit: string;
  readonly values: Float64Array;
  readonly samples: Float64Array;
}

/** A log with its numbers: what the views draw from. */
export class Log {
  readonly time: Float64Array;
  readonly channels: Channel[];
  private readonly byName = new Map<string, Channel>();
  constructor(
    readonly data: PageLog,
    readonly index: number,
  ) {
    this.time = unpack(data.time);
    this.channels = data.channels.map(c => {
      // unpacked when somebody looks
      let values: Float64Array | undefined, samples: Float64Array | undefined;
      return {
        name: c.name,
        unit: c.unit,
        get values() {
          return (values ??= unpack(c.values));
        },
        get samples() {
          return (samples ??= c.samples ? unpack(c.samples) : this.values);
        },
      };
    });
    for (const c of this.channels) this.byName.set(c.name, c);
  }
  channel(name: string): Channel | undefined {
    return this.byName.get(name);
  }
  get begin() {
    return this.time.length ? this.time[0] : 0;
  }
  get end() {
    return this.time.length ? this.time[this.time.length - 1] : 0;
  }
  /** The row at or before a time. */
  row(t: number): number {
    let low = 0,
      high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  /** Value between the rows around a time; not a number at a gap. */
  at(values: Float64Array, t: number): number {
    const i = this.row(t),
      next = Math.min(i + 1, this.time.length - 1);
    const step = this.time[next] - this.time[i];
    const part = step > 0 ? Math.min(1, Math.max(0, (t - this.time[i]) / step)) : 0;
    return part === 0 ? values[i] : part === 1 ? values[next] : values[i] + part * (values[next] - values[i]);
  }
}
