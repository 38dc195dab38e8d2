// What the program puts into the page (src/armature/report/page.cpp writes it).

/** Numbers: "f4:" or "f8:" and base64 of little-endian floats. Not a number: nothing there. */
export type Packed = string;

export interface ChannelData {
  name: string;
  unit: string;
  values: Packed;
  /** One true sample a row, where `values` holds extremes of thinned data. */
  samples?: Packed;
}
export interface EventData {
  time: number;
  kind: string;
  detail: string;
}
export interface TableData {
  title: string;
  header: string[];
  rows: string[][];
}
export interface SpectrumData {
  name: string;
  input: string;
  output: string;
  unit: string;
  figure: string;
  frequency: Packed;
  re: Packed;
  im: Packed;
  coherence?: Packed;
}
export interface TextData {
  kind: 'markdown' | 'latex';
  title: string;
  text: string;
}
export interface ShapeData {
  kind: 'box' | 'cylinder' | 'sphere' | 'mesh';
  size: number[];
  position: number[];
  turn: number[];
  colour?: number[];
  mesh?: string;
}
export interface MeshData {
  name: string;
  parts: {colour?: number[]; low: number[]; size: number[]; points: string; triangles: string}[];
}
export interface FrameData {
  name: string;
  parent: number;
  channels?: string[];
  position: number[];
  turn: number[];
  joint: string;
  reference: string;
  slides: boolean;
  centre: number[];
  axes: number[];
  axesTurn: number[];
  shapes?: ShapeData[];
}
export interface AxisData {
  label: string;
  unit: string;
  log: boolean;
  categories?: string[];
}
export interface SeriesData {
  name: string;
  style: 'line' | 'points' | 'both' | 'bars';
  x: Packed;
  y: Packed;
  low?: Packed;
  high?: Packed;
}
export interface FigureData {
  name: string;
  title: string;
  caption: string;
  x: AxisData;
  y: AxisData;
  series: SeriesData[];
  equal: boolean;
}
export interface MatrixData {
  name: string;
  title: string;
  caption: string;
  rows: string[];
  columns: string[];
  values: Packed;
  low: number;
  high: number;
}
export interface TimeFigureData {
  name: string;
  title: string;
  caption: string;
  channels: string[];
}
/** How far a channel may go. */
export interface LimitData {
  channel: string;
  value: number;
  upper: boolean;
}
export interface LogData {
  title: string;
  facts: [string, string][];
  incomplete: string;
  rows: number;
  shown: number;
  time: Packed;
  channels: ChannelData[];
  events: EventData[];
  tables: TableData[];
  spectra: SpectrumData[];
  texts: TextData[];
  scene: FrameData[];
  arrows: {name: string; frame: number; channels: string[]}[];
  planes: {name: string; point: number[]; normal: number[]}[];
  limits: LimitData[];
  timeFigures: TimeFigureData[];
  figures: FigureData[];
  matrices: MatrixData[];
}
export interface ClaimData {
  id: string;
  says: string;
  paper: string;
  ours: string;
  holds: boolean;
  remark: string;
}
export interface CardData {
  name: string;
  title: string;
  link: string;
  held: number;
  claims: number;
  figures: number;
  failed: string;
  figure?: FigureData;
}
export interface PageData {
  format: number;
  kind: string;
  title: string;
  subtitle: string;
  facts: [string, string][];
  claims: ClaimData[];
  logs: LogData[];
  meshes?: MeshData[];
  cards: CardData[];
}

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
    readonly data: LogData,
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
