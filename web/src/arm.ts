// An arm as a tree of frames that its joints move: rods and drums, or what its links look like.
import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type {SceneFrame} from './data';
import type {Log} from './log';
import {drawable, solid} from './shapes';

export const vector = (a: number[]) => new Vector3(a[0], a[1], a[2]);
const quaternion = (wxyz: number[]) => new Quaternion(wxyz[1], wxyz[2], wxyz[3], wxyz[0]);

/** A straight piece between two points. */
function rod(from: Vector3, to: Vector3, radius: number, material: MeshStandardMaterial): Mesh {
  const along = to.clone().sub(from),
    mesh = new Mesh(new CylinderGeometry(radius, radius, along.length(), 20), material);
  mesh.position.copy(from).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
  return mesh;
}

export class Arm {
  readonly root = new Group();
  readonly frames: Group[] = []; // after the joint's motion
  private readonly placed: Group[] = [];
  readonly ellipsoids: Object3D[] = [];
  readonly axes: Object3D[] = [];
  /** Rods and drums of each frame's link, and what the link looks like instead. */
  private readonly bones: Group[] = [];
  private readonly solids: Group[] = [];
  constructor(
    readonly log: Log,
    private readonly data: SceneFrame[],
    radius: number,
    private readonly channelOf: (f: SceneFrame) => string,
    materials: {
      link: MeshStandardMaterial;
      joint: (i: number) => MeshStandardMaterial;
      ellipsoid: (i: number) => MeshStandardMaterial;
      shape?: (colour?: number[]) => MeshStandardMaterial;
    },
    plain: boolean,
  ) {
    data.forEach((frame, i) => {
      const placed = new Group(),
        moved = new Group(),
        bones = new Group(),
        solids = new Group();
      this.bones.push(bones);
      this.solids.push(solids);
      moved.add(bones, solids);
      const look = materials.shape;
      if (look) for (const shape of frame.shapes) if (drawable(shape)) solids.add(solid(shape, look));
      placed.position.copy(vector(frame.position));
      placed.quaternion.copy(quaternion(frame.turn));
      placed.add(moved);
      const parent = frame.channels[0] ? undefined : this.frames[frame.parent];
      (parent ?? this.root).add(placed);
      this.placed.push(placed);
      this.frames.push(moved);
      if (parent) this.link(this.bones[frame.parent], vector(frame.position), radius, materials.link);
      const numbered = data.slice(0, i).filter(f => f.joint).length;
      if (frame.joint) {
        const body = frame.slides
          ? new Mesh(new BoxGeometry(3 * radius, 3 * radius, 4 * radius), materials.joint(numbered))
          : new Mesh(new CylinderGeometry(1.75 * radius, 1.75 * radius, 4.2 * radius, 32).rotateX(Math.PI / 2), materials.joint(numbered));
        bones.add(body);
      } else if (i === 0) {
        bones.add(new Mesh(new CylinderGeometry(2.6 * radius, 3 * radius, 1.2 * radius, 40).rotateX(Math.PI / 2), materials.link));
      } else {
        bones.add(new Mesh(new SphereGeometry(0.9 * radius, 20, 12), materials.link));
      }
      if (plain) return;
      if (frame.ellipsoid_axes.some(a => a > 0)) {
        const shape = new Mesh(new SphereGeometry(1, 28, 18), materials.ellipsoid(numbered));
        shape.scale.set(...(frame.ellipsoid_axes.map(a => Math.max(a, radius * 0.2)) as [number, number, number]));
        shape.position.copy(vector(frame.ellipsoid_centre));
        shape.quaternion.copy(quaternion(frame.ellipsoid_turn));
        const centre = new Mesh(new SphereGeometry(0.55 * radius, 16, 10), materials.joint(numbered));
        centre.position.copy(shape.position);
        moved.add(shape, centre);
        this.ellipsoids.push(shape, centre);
      }
      const triad = axes(5 * radius);
      moved.add(triad);
      this.axes.push(triad);
    });
    this.look(true);
  }
  solidsSeen(): boolean {
    return this.solids.some(s => s.visible && s.children.length > 0);
  }
  /** Links as they look where that is known, or as rods. */
  look(shapes: boolean) {
    this.solids.forEach((solids, i) => {
      solids.visible = shapes;
      this.bones[i].visible = !shapes || solids.children.length === 0 || i === this.solids.length - 1; // the tool is always seen
    });
  }
  /** Along the parent's z, then across: where joints sit on a real link. */
  private link(parent: Group, to: Vector3, radius: number, material: MeshStandardMaterial) {
    const from = new Vector3(),
      corner = new Vector3(0, 0, to.z);
    const across = Math.hypot(to.x, to.y),
      least = radius * 0.5;
    if (across > least && Math.abs(to.z) > least) {
      parent.add(rod(from, corner, radius, material), rod(corner, to, radius, material));
      const ball = new Mesh(new SphereGeometry(radius, 20, 12), material);
      ball.position.copy(corner);
      parent.add(ball);
    } else if (to.length() > least) {
      parent.add(rod(from, to, radius, material));
    }
  }
  /** Moves to a time; false where a joint was not recorded. */
  move(t: number): boolean {
    let known = true;
    this.data.forEach((frame, i) => {
      if (frame.channels[0]) {
        const v = frame.channels.map(name => {
          const c = this.log.channel(name);
          return c ? this.log.at(c.samples, t) : NaN;
        });
        if (v.some(Number.isNaN)) return void (known = false);
        this.placed[i].position.set(v[0], v[1], v[2]);
        this.placed[i].quaternion.set(v[4], v[5], v[6], v[3]).normalize();
        return;
      }
      const name = this.channelOf(frame);
      if (!name) return;
      const c = this.log.channel(name),
        q = c ? this.log.at(c.samples, t) : NaN;
      if (Number.isNaN(q)) return void (known = false);
      if (frame.slides) this.frames[i].position.z = q;
      else this.frames[i].rotation.z = q;
    });
    this.root.updateMatrixWorld(true);
    return known;
  }
  tip(target = new Vector3()): Vector3 {
    return this.frames[this.frames.length - 1].getWorldPosition(target);
  }
}

function axes(length: number): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute([0, 0, 0, length, 0, 0, 0, 0, 0, 0, length, 0, 0, 0, 0, 0, 0, length], 3));
  geometry.setAttribute(
    'color',
    new Float32BufferAttribute([0.8, 0.25, 0.2, 0.8, 0.25, 0.2, 0.1, 0.6, 0.35, 0.1, 0.6, 0.35, 0.15, 0.4, 0.9, 0.15, 0.4, 0.9], 3),
  );
  return new LineSegments(geometry, new LineBasicMaterial({vertexColors: true}));
}
