// What the program puts into the page. Generated from src/armature/record/report_fields.hpp and report/internal/page_data.hpp:
// `./dev web` writes it anew. What the fields mean is said where their structs are defined.

/** Numbers: "f4:" or "f8:" and base64 of little-endian floats; left out where there are none. Not a number: a gap. */
export type Packed = string;
/** The same, real and imaginary parts in turn. */
export type PackedComplex = string;

export interface Claim {
  id: string;
  says: string;
  paper: string;
  ours: string;
  holds: boolean;
  remark: string;
}
export interface SceneMeshPart {
  colour: number[];
  low: number[];
  size: number[];
  points: string;
  triangles: string;
}
export interface SceneMesh {
  name: string;
  parts: SceneMeshPart[];
}
export interface LogEvent {
  time: number;
  kind: string;
  detail: string;
}
export interface PageChannel {
  name: string;
  unit: string;
  values?: Packed;
  samples?: Packed;
}
export interface TimeFigure {
  name: string;
  title: string;
  channels: string[];
  caption: string;
}
export interface FigureAxis {
  label: string;
  unit: string;
  logarithmic: boolean;
  categories: string[];
}
export interface FigureSeries {
  name: string;
  style: 'line' | 'points' | 'both' | 'bars';
  x?: Packed;
  y?: Packed;
  low?: Packed;
  high?: Packed;
}
export interface Figure {
  name: string;
  title: string;
  x: FigureAxis;
  y: FigureAxis;
  series: FigureSeries[];
  equal_scale: boolean;
  caption: string;
}
export interface MatrixFigure {
  name: string;
  title: string;
  rows: string[];
  columns: string[];
  values?: Packed;
  low: number;
  high: number;
  caption: string;
}
export interface Spectrum {
  name: string;
  figure: string;
  input: string;
  output: string;
  unit: string;
  frequency?: Packed;
  response?: PackedComplex;
  coherence?: Packed;
}
export interface LogTable {
  title: string;
  header: string[];
  rows: string[][];
}
export interface LogText {
  kind: 'markdown' | 'latex';
  title: string;
  text: string;
}
export interface SceneShape {
  kind: 'box' | 'cylinder' | 'sphere' | 'mesh';
  size: number[];
  position: number[];
  turn: number[];
  colour: number[];
  mesh: string;
}
export interface SceneFrame {
  name: string;
  parent: number;
  channels: string[];
  position: number[];
  turn: number[];
  joint: string;
  reference: string;
  slides: boolean;
  ellipsoid_centre: number[];
  ellipsoid_axes: number[];
  ellipsoid_turn: number[];
  shapes: SceneShape[];
}
export interface SceneArrow {
  name: string;
  frame: number;
  channels: string[];
}
export interface ScenePlane {
  name: string;
  point: number[];
  normal: number[];
}
export interface ChannelLimit {
  channel: string;
  value: number;
  upper: boolean;
}
export interface PageLog {
  title: string;
  facts: [string, string][];
  events: LogEvent[];
  incomplete: string;
  rows: number;
  shown: number;
  time?: Packed;
  channels: PageChannel[];
  time_figures: TimeFigure[];
  figures: Figure[];
  matrices: MatrixFigure[];
  spectra: Spectrum[];
  tables: LogTable[];
  texts: LogText[];
  scene: SceneFrame[];
  arrows: SceneArrow[];
  planes: ScenePlane[];
  limits: ChannelLimit[];
}
export interface Card {
  name: string;
  title: string;
  link: string;
  held: number;
  claims: number;
  figures: number;
  failed: string;
  figure: Figure;
  equations: string;
}
export interface PageData {
  kind: string;
  title: string;
  subtitle: string;
  facts: [string, string][];
  claims: Claim[];
  meshes: SceneMesh[];
  logs: PageLog[];
  cards: Card[];
}
