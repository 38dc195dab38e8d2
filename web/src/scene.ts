// The arm in three dimensions, at the clock's time.
import {
  AmbientLight,
  Box3,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  GridHelper,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
  ConeGeometry,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Line2} from 'three/examples/jsm/lines/Line2.js';
import {LineGeometry} from 'three/examples/jsm/lines/LineGeometry.js';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {Arm, vector} from './arm';
import type {Clock} from './clock';
import type {SceneFrame} from './data';
import {trianglesOf} from './shapes';
import {download, fileName, h, whenSeen} from './dom';
import type {Log} from './log';
import {player} from './player';
import {colour, css, onTheme} from './theme';

/** One drawing surface behind all views: a browser lends few of them. */
let shared: WebGLRenderer | null | undefined;
function renderer(): WebGLRenderer | null {
  if (shared === undefined) {
    try {
      shared = new WebGLRenderer({antialias: true, alpha: true});
    } catch {
      shared = null;
    }
  }
  return shared;
}

const up = new Vector3(0, 0, 1);

interface Trail {
  line: Line2;
  past: Line2;
  times: number[];
  log: number;
  reference: boolean;
  points: Vector3[];
}

const collides = (kind: string) => /touch|contact|collision|impact/i.test(kind);

export class SceneView {
  readonly element: HTMLElement;
  readonly canvas = h('canvas', {
    class: 'arm',
    tabindex: 0,
    'aria-label': 'the arm in three dimensions; drag to turn, wheel to come closer',
  });
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
  private controls?: OrbitControls;
  private readonly arms: Arm[] = [];
  private readonly ghosts: Arm[] = [];
  private readonly trails: Trail[] = [];
  private readonly arrows: {group: Group; shaft: Mesh; head: Mesh; arm: Arm; frame: number; channels: string[]; scale: number}[] = [];
  private readonly lines: LineMaterial[] = [];
  private grid?: GridHelper;
  private reach = 1;
  private drawn = false;
  private pending = false;
  private readonly materials: (() => void)[] = [];

  constructor(
    private readonly logs: Log[],
    private readonly clock: Clock,
    private readonly title: string,
  ) {
    const tools = this.toolbar();
    const stage = h('div', {class: 'view'}, this.canvas);
    this.element = h('div', {class: 'scene'}, stage, player(clock), tools);
    whenSeen(this.canvas, () => {
      if (!renderer()) {
        stage.replaceChildren(
          h('p', {class: 'note'}, 'This browser cannot draw in three dimensions (no WebGL); the plots show the same motion.'),
        );
        return;
      }
      this.build();
      this.drawn = true;
      new ResizeObserver(() => this.resize()).observe(this.canvas);
      clock.onMove(() => this.request());
      onTheme(() => {
        this.materials.forEach(paint => paint());
        this.request();
      });
      this.resize();
    });
  }

  private toolbar(): HTMLElement {
    const tools = h('div', {class: 'tools'});
    const toggle = (label: string, on: boolean, set: (on: boolean) => void) => {
      const button = h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(on),
          click: () => {
            const now = button.getAttribute('aria-pressed') !== 'true';
            button.setAttribute('aria-pressed', String(now));
            set(now);
            this.request();
          },
        },
        label,
      );
      tools.append(button);
    };
    if (this.logs.some(l => l.data.scene.some(f => f.shapes.length))) toggle('shapes', true, on => this.arms.forEach(a => a.look(on)));
    toggle('inertia', false, on => this.arms.forEach(a => a.ellipsoids.forEach(e => (e.visible = on))));
    toggle('frames', false, on => this.arms.forEach(a => a.axes.forEach(e => (e.visible = on))));
    toggle('path', true, on => this.trails.forEach(l => (l.line.visible = l.past.visible = on)));
    if (this.logs.some(l => l.data.scene.some(f => f.reference)))
      toggle('reference', false, on => this.ghosts.forEach(g => (g.root.visible = on)));
    tools.append(
      h(
        'button',
        {
          type: 'button',
          class: 'right',
          title: 'save this view as PNG',
          click: () => {
            this.draw();
            this.canvas.toBlob(blob => {
              if (blob) download(`${fileName(this.title)}_arm.png`, blob);
            });
          },
        },
        'PNG',
      ),
    );
    return tools;
  }

  private material(pick: () => string, settings: {opacity?: number; rough?: number} = {}): MeshStandardMaterial {
    const material = new MeshStandardMaterial({
      roughness: settings.rough ?? 0.55,
      metalness: 0.05,
      transparent: settings.opacity !== undefined,
      opacity: settings.opacity ?? 1,
      depthWrite: settings.opacity === undefined,
    });
    const paint = () => {
      material.color = new Color(pick());
    };
    paint();
    this.materials.push(paint);
    return material;
  }

  /** What shapes of a colour are made of, for one arm; a run that has a colour of its own keeps it. */
  private shapes(own: string | undefined, settings: {opacity?: number}, run: () => string) {
    const made = new Map<string, MeshStandardMaterial>();
    return (colour?: number[]) => {
      const rgb = own === undefined ? colour?.slice(0, 3).map(c => Math.round(255 * c)) : undefined,
        opacity = settings.opacity ?? (colour && colour[3] > 0.02 && colour[3] < 0.98 ? colour[3] : undefined),
        name = `${rgb ?? own ?? 'link'} ${opacity}`;
      const known = made.get(name) ?? this.material(() => (rgb ? `rgb(${rgb})` : run()), {opacity});
      known.side = DoubleSide; // makers' meshes have holes, and mirrors turn them inside out
      known.polygonOffset = settings.opacity !== undefined; // where a ghost is at the same place, the first run is seen
      known.polygonOffsetFactor = known.polygonOffsetUnits = 4;
      made.set(name, known);
      return known;
    };
  }

  private line(points: Vector3[], pick: () => string, width: number, opacity: number, dashed = false): Line2 {
    const geometry = new LineGeometry();
    geometry.setPositions(points.flatMap(p => [p.x, p.y, p.z]));
    const material = new LineMaterial({
      linewidth: width,
      transparent: opacity < 1,
      opacity,
      dashed,
      dashSize: this.reach * 0.025,
      gapSize: this.reach * 0.015,
    });
    const paint = () => {
      material.color = new Color(pick());
    };
    paint();
    this.materials.push(paint);
    this.lines.push(material);
    const line = new Line2(geometry, material);
    if (dashed) line.computeLineDistances();
    this.scene.add(line);
    return line;
  }

  private build() {
    const many = this.logs.length > 1;
    this.reach = Math.max(
      0.05,
      ...this.logs.map(log => log.data.scene.reduce((sum, f) => sum + Math.hypot(...f.position) + (f.slides ? slideOf(log, f) : 0), 0)),
    );
    const radius = this.reach * 0.021;
    const sun = new DirectionalLight(0xffffff, 1.9),
      fill = new DirectionalLight(0xffffff, 0.7);
    sun.position.set(1, -1.2, 2.2);
    fill.position.set(-1.5, 1, 0.6);
    this.scene.add(sun, fill, new AmbientLight(0xffffff, 1.15));

    const box = new Box3();
    const most = 150_000; // triangles that a phone still turns; beyond, the other runs are rods
    this.logs.forEach((log, k) => {
      const light = k === 0 || trianglesOf(log.data.scene) * this.logs.length < most;
      const ghostly = k > 0 ? {opacity: 0.35} : {}; // the first run stands out, the others are ghosts beside it
      const link = many ? this.material(() => colour(k), ghostly) : this.material(() => css('link'));
      const joint = (i: number) => this.material(() => colour(many ? k : i), ghostly);
      const ellipsoid = (i: number) => this.material(() => colour(many ? k : i), {opacity: 0.28});
      const arm = new Arm(
        log,
        log.data.scene,
        radius * (1 + 0.02 * k),
        f => f.joint, // where arms coincide, each is seen
        {
          link,
          joint,
          ellipsoid,
          shape: light ? this.shapes(k > 0 ? String(k) : undefined, ghostly, () => (k > 0 ? colour(k) : css('link'))) : undefined,
        },
        false,
      );
      arm.ellipsoids.forEach(e => (e.visible = false));
      arm.axes.forEach(e => (e.visible = false));
      this.arms.push(arm);
      this.scene.add(arm.root);
      this.trail(arm, k, false, () => (many ? colour(k) : css('trail')), box);
      if (log.data.scene.some(f => f.reference) && !many) {
        const pale = this.material(() => css('muted'), {opacity: 0.3});
        const ghost = new Arm(
          log,
          log.data.scene,
          radius,
          f => f.reference || f.joint,
          {link: pale, joint: () => pale, ellipsoid: () => pale},
          true,
        );
        ghost.root.visible = false;
        this.ghosts.push(ghost);
        this.scene.add(ghost.root);
        this.trail(ghost, k, true, () => css('muted'), box);
      }
      for (const event of log.data.events.filter(e => collides(e.kind) || collides(e.detail)).slice(0, 200)) {
        if (!arm.move(event.time)) continue;
        const mark = new Mesh(
          new SphereGeometry(radius * 0.9, 20, 12),
          this.material(() => css('event')),
        );
        mark.position.copy(arm.tip());
        this.scene.add(mark);
      }
      for (const arrow of log.data.arrows) this.arrow(arm, log, arrow, box);
    });
    box.expandByPoint(new Vector3(0, 0, 0));
    const centre = box.getCenter(new Vector3()),
      size = Math.max(box.getSize(new Vector3()).length(), 0.8 * this.reach);
    for (const log of this.logs.slice(0, 1))
      for (const plane of log.data.planes) {
        const wall = new Mesh(
          new PlaneGeometry(this.reach * 0.9, this.reach * 0.9),
          new MeshBasicMaterial({color: 0x808080, transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false}),
        );
        wall.quaternion.setFromUnitVectors(up, vector(plane.normal).normalize());
        const n = vector(plane.normal).normalize(),
          p = vector(plane.point);
        wall.position.copy(this.arms[0].tip()).addScaledVector(n, -n.dot(this.arms[0].tip().sub(p))); // the part of it that the arm sees
        this.scene.add(wall);
      }
    this.floor();
    onTheme(() => this.floor());
    this.camera.up.copy(up);
    const narrow = Math.min(1, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    const distance = (0.56 * size) / Math.tan((Math.PI * this.camera.fov) / 360) / narrow;
    this.camera.position.copy(centre).add(new Vector3(0.62, -0.95, 0.5).normalize().multiplyScalar(distance));
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(centre);
    this.controls.enableZoom = true;
    this.controls.listenToKeyEvents = () => {}; // the arrow keys belong to the clock
    this.controls.addEventListener('change', () => this.request());
    this.controls.update();
  }

  private floor() {
    if (this.grid) this.scene.remove(this.grid);
    const rough = this.reach / 5,
      power = 10 ** Math.floor(Math.log10(rough)),
      cell = power * (rough / power >= 5 ? 5 : rough / power >= 2 ? 2 : 1),
      cells = 2 * Math.ceil((1.15 * this.reach) / cell);
    this.grid = new GridHelper(cells * cell, cells, css('grid-strong'), css('grid'));
    this.grid.rotation.x = Math.PI / 2;
    this.scene.add(this.grid);
  }

  /** The path of the tool: faint as a whole, strong up to now. */
  private trail(arm: Arm, log: number, reference: boolean, pick: () => string, box: Box3) {
    const points: Vector3[] = [],
      times: number[] = [],
      n = arm.log.time.length,
      count = Math.min(n, 800);
    const spot = new Vector3();
    for (let k = 0; k < count; ++k) {
      const t = arm.log.time[Math.round((k * (n - 1)) / Math.max(1, count - 1))];
      if (!arm.move(t)) continue;
      points.push(arm.tip());
      times.push(t);
      if (!reference && k % 10 === 0) for (const f of arm.frames) box.expandByPoint(f.getWorldPosition(spot));
    }
    if (points.length < 2) return;
    this.trails.push({
      line: this.line(points, pick, reference ? 1.5 : 2, reference ? 0.9 : 0.35, reference),
      past: this.line(points, pick, reference ? 0.1 : 3, reference ? 0 : 1),
      times,
      log,
      reference,
      points,
    });
  }

  private arrow(arm: Arm, log: Log, data: {frame: number; channels: string[]}, box: Box3) {
    const channels = data.channels.map(name => log.channel(name));
    let largest = 0;
    for (let i = 0; i < log.time.length; ++i) {
      const size = Math.hypot(...channels.map(c => c?.samples[i] ?? 0));
      if (size > largest) largest = size;
    }
    if (!(largest > 0)) return;
    const material = this.material(() => css('event')),
      group = new Group(),
      r = this.reach * 0.009;
    const shaft = new Mesh(new CylinderGeometry(r, r, 1, 12).translate(0, 0.5, 0), material);
    const head = new Mesh(new ConeGeometry(3 * r, 7 * r, 16).translate(0, 3.5 * r, 0), material);
    group.add(shaft, head);
    this.scene.add(group);
    this.arrows.push({group, shaft, head, arm, frame: data.frame, channels: data.channels, scale: (this.reach * 0.22) / largest});
    for (let i = 0; i < log.time.length; i += Math.ceil(log.time.length / 200)) {
      // the view has room for it
      const force = new Vector3(...(channels.map(c => c?.samples[i] || 0) as [number, number, number]));
      if (arm.move(log.time[i]))
        box.expandByPoint(arm.frames[data.frame].getWorldPosition(new Vector3()).addScaledVector(force, (this.reach * 0.24) / largest));
    }
  }

  private resize() {
    const box = this.canvas.parentElement!.getBoundingClientRect(),
      sharp = Math.min(2, devicePixelRatio);
    this.canvas.width = Math.max(1, Math.round(box.width * sharp));
    this.canvas.height = Math.max(1, Math.round(box.height * sharp));
    this.camera.aspect = this.canvas.width / this.canvas.height;
    this.camera.updateProjectionMatrix();
    this.lines.forEach(l => l.resolution.copy(new Vector2(this.canvas.width / sharp, this.canvas.height / sharp)));
    this.draw();
  }
  private request() {
    if (!this.drawn || this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }
  private draw() {
    const gl = renderer();
    if (!gl || !this.drawn) return;
    const t = this.clock.t;
    for (const arm of [...this.arms, ...this.ghosts]) arm.move(t);
    for (const trail of this.trails) {
      let n = 0;
      while (n < trail.times.length && trail.times[n] <= t) ++n;
      (trail.past.geometry as LineGeometry).instanceCount = Math.max(0, n - 1);
    }
    for (const arrow of this.arrows) {
      const force = new Vector3(
        ...(arrow.channels.map(name => {
          const c = arrow.arm.log.channel(name);
          return c ? arrow.arm.log.at(c.samples, t) || 0 : 0;
        }) as [number, number, number]),
      );
      const length = force.length() * arrow.scale;
      arrow.group.visible = length > this.reach * 0.005;
      if (!arrow.group.visible) continue;
      arrow.arm.frames[arrow.frame].getWorldPosition(arrow.group.position);
      arrow.group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), force.normalize());
      arrow.shaft.scale.y = length;
      arrow.head.position.y = length;
    }
    gl.setPixelRatio(1);
    gl.setSize(this.canvas.width, this.canvas.height, false);
    gl.render(this.scene, this.camera);
    const paper = this.canvas.getContext('2d')!;
    paper.clearRect(0, 0, this.canvas.width, this.canvas.height);
    paper.drawImage(gl.domElement, 0, 0);
  }
  /** What meshes are made of, and whether they are seen; for whoever looks from outside. */
  triangles(): {mesh: number; visible: boolean} {
    return {mesh: trianglesOf(this.logs[0].data.scene), visible: this.arms[0]?.solidsSeen() ?? false};
  }
  /** Where the tool is now, and where the view draws it; for whoever looks from outside. */
  tool(): number[] {
    this.arms[0]?.move(this.clock.t);
    return this.arms[0]?.tip().toArray() ?? [];
  }
}

const slideOf = (log: Log, f: SceneFrame) => {
  let most = 0;
  for (const v of log.channel(f.joint)?.samples ?? []) if (Math.abs(v) > most) most = Math.abs(v);
  return most;
};
