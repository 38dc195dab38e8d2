// What links look like: boxes, cylinders, spheres and meshes.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  Quaternion,
  SphereGeometry,
  type Material,
} from 'three';
import type {SceneFrame, SceneMesh, SceneShape} from './data';

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0)).buffer;
const sharp = Math.cos((35 * Math.PI) / 180); // faces that meet at more than this angle have an edge between them

interface Part {
  geometry: BufferGeometry;
  colour?: number[];
  count: number;
}
/** A colour; none where all of it is zero. */
const own = (colour: number[]) => (colour.some(c => c !== 0) ? colour : undefined);

const data = new Map<string, SceneMesh>();
const made = new Map<string, Part[]>();

/** The meshes that the shapes of this page name. */
export function keepMeshes(meshes: SceneMesh[]) {
  for (const mesh of meshes) data.set(mesh.name, mesh);
}

/** Three corners a triangle, each with the mean normal of the faces around it that are about as steep. */
function smooth(points: Float32Array, corners: Uint32Array): BufferGeometry {
  const faces = corners.length / 3,
    normals = new Float32Array(corners.length), // of the faces, as long as their area
    first = new Uint32Array(points.length / 3 + 1),
    around = new Uint32Array(corners.length); // faces by point
  for (let f = 0; f < faces; ++f) {
    const [a, b, c] = [0, 1, 2].map(k => 3 * corners[3 * f + k]);
    const u = [0, 1, 2].map(k => points[b + k] - points[a + k]),
      v = [0, 1, 2].map(k => points[c + k] - points[a + k]);
    normals[3 * f] = u[1] * v[2] - u[2] * v[1];
    normals[3 * f + 1] = u[2] * v[0] - u[0] * v[2];
    normals[3 * f + 2] = u[0] * v[1] - u[1] * v[0];
  }
  for (const corner of corners) ++first[corner + 1];
  for (let i = 1; i < first.length; ++i) first[i] += first[i - 1];
  const next = first.slice();
  corners.forEach((corner, k) => (around[next[corner]++] = Math.floor(k / 3)));
  const length = (f: number) => Math.hypot(normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]);
  const position = new Float32Array(3 * corners.length),
    normal = new Float32Array(3 * corners.length);
  corners.forEach((corner, k) => {
    const f = Math.floor(k / 3),
      own = length(f);
    for (let i = first[corner]; i < first[corner + 1]; ++i) {
      const g = around[i],
        along = normals[3 * f] * normals[3 * g] + normals[3 * f + 1] * normals[3 * g + 1] + normals[3 * f + 2] * normals[3 * g + 2];
      if (g === f || along > sharp * own * length(g)) for (let j = 0; j < 3; ++j) normal[3 * k + j] += normals[3 * g + j];
    }
    for (let j = 0; j < 3; ++j) position[3 * k + j] = points[3 * corner + j];
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.normalizeNormals();
  return geometry;
}

/** The parts of a mesh that can be drawn; a damaged one has none. */
function partsOf(name: string): Part[] {
  const known = made.get(name);
  if (known) return known;
  const parts: Part[] = [];
  made.set(name, parts);
  for (const part of data.get(name)?.parts ?? []) {
    try {
      const steps = new Uint16Array(bytesOf(part.points)),
        corners = new Uint32Array(bytesOf(part.triangles)),
        count = Math.floor(steps.length / 3);
      if (corners.length % 3 !== 0 || corners.some(c => c >= count)) continue;
      const points = Float32Array.from(steps, (v, i) => part.low[i % 3] + (v / 65535) * part.size[i % 3]);
      parts.push({geometry: smooth(points, corners), colour: own(part.colour), count: corners.length / 3});
    } catch {
      continue;
    }
  }
  return parts;
}

/** Whether there is something to draw. */
export const drawable = (shape: SceneShape) => shape.kind !== 'mesh' || partsOf(shape.mesh).length > 0;

/** How many triangles the meshes of an arm have. */
export const trianglesOf = (frames: SceneFrame[]) =>
  frames
    .flatMap(f => f.shapes)
    .filter(s => s.kind === 'mesh')
    .reduce((sum, s) => sum + partsOf(s.mesh).reduce((n, p) => n + p.count, 0), 0);

/** The shape in its link's frame; each part with the material of its colour, the mesh's own before the shape's. */
export function solid(shape: SceneShape, material: (colour?: number[]) => Material): Group {
  const group = new Group(),
    [a, b, c] = shape.size;
  group.position.set(shape.position[0], shape.position[1], shape.position[2]);
  group.quaternion.copy(new Quaternion(shape.turn[1], shape.turn[2], shape.turn[3], shape.turn[0]));
  if (shape.kind === 'mesh') {
    for (const part of partsOf(shape.mesh)) group.add(new Mesh(part.geometry, material(part.colour ?? own(shape.colour))));
    group.scale.set(a, b, c);
  } else {
    const geometry =
      shape.kind === 'box'
        ? new BoxGeometry(a, b, c)
        : shape.kind === 'cylinder'
          ? new CylinderGeometry(a, a, b, 40).rotateX(Math.PI / 2)
          : new SphereGeometry(a, 32, 20);
    group.add(new Mesh(geometry, material(own(shape.colour))));
  }
  return group;
}
