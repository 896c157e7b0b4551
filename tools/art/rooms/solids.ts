/** Solids of a room, and the first one that a ray hits. In metres; x to the right, y up, z towards the viewer. */
export type Vec = readonly [number, number, number];

/** Material of a surface. `shine` is the reflectance at normal incidence, `blur` its roughness, `glow` the emitted light. */
export type Look = {
  readonly colour: Vec;
  readonly shine?: number;
  readonly blur?: number;
  readonly glow?: Vec;
  /** Metal tints its reflections. */
  readonly metal?: boolean;
  /** A pattern in the solid's own coordinates instead of one colour. */
  readonly pattern?: (x: number, y: number, z: number) => Vec;
};
type Kind = 'box' | 'drum' | 'ball';
export type Solid = {
  readonly kind: Kind;
  readonly at: Vec;
  /** Half lengths of a box; radius and half height of a drum; radius of a ball. */
  readonly size: Vec;
  readonly look: Look;
  /** Rows of the rotation from room to solid coordinates. */
  readonly turn: readonly [Vec, Vec, Vec];
  readonly reach: number;
};

const STRAIGHT: Solid['turn'] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Builds a rotation from degrees about the y axis, then the x axis, then the z axis. */
export function turned(yaw: number, tilt = 0, roll = 0): Solid['turn'] {
  const [a, b, c] = [yaw, tilt, roll].map((degrees) => (degrees * Math.PI) / 180) as [number, number, number];
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  // The columns of yaw · tilt · roll are the solid's axes; the inverse is the transpose.
  return [
    [ca * cc + sa * sb * sc, cb * sc, -sa * cc + ca * sb * sc],
    [-ca * sc + sa * sb * cc, cb * cc, sa * sc + ca * sb * cc],
    [sa * cb, -sb, ca * cb],
  ];
}

function solid(kind: Kind, at: Vec, size: Vec, look: Look, turn: Solid['turn'] = STRAIGHT): Solid {
  const reach = kind === 'ball' ? size[0] : kind === 'drum' ? Math.hypot(size[0], size[1]) : Math.hypot(...size);
  return { kind, at, size, look, turn, reach };
}
/** Creates a box from its full lengths. */
export const box = (at: Vec, size: Vec, look: Look, turn?: Solid['turn']): Solid =>
  solid('box', at, [size[0] / 2, size[1] / 2, size[2] / 2], look, turn);
/** Upright unless turned. */
export const drum = (at: Vec, radius: number, height: number, look: Look, turn?: Solid['turn']): Solid =>
  solid('drum', at, [radius, height / 2, radius], look, turn);
export const ball = (at: Vec, radius: number, look: Look): Solid => solid('ball', at, [radius, radius, radius], look);

/** Where a ray hit; `n` is the surface normal, `p` the point in the solid's own coordinates. */
export type Hit = { t: number; solid: Solid | null; n: [number, number, number]; p: [number, number, number] };
const EPSILON = 1e-4;

/** Returns the distance to a solid along a ray in its own coordinates, Infinity on a miss; writes the surface normal to `n`. */
function meetBox(s: Vec, o: Vec, d: Vec, n: number[]): number {
  let near = -Infinity;
  let far = Infinity;
  let axis = 0;
  let sign = 0;
  for (let k = 0; k < 3; k += 1) {
    const inverse = 1 / (d[k] ?? 1);
    const one = (-(s[k] ?? 0) - (o[k] ?? 0)) * inverse;
    const two = ((s[k] ?? 0) - (o[k] ?? 0)) * inverse;
    const first = one < two ? one : two;
    if (first > near) {
      near = first;
      axis = k;
      sign = inverse < 0 ? 1 : -1;
    }
    far = Math.min(far, one < two ? two : one);
    if (near > far) return Infinity;
  }
  if (near < EPSILON) return Infinity;
  n[0] = 0;
  n[1] = 0;
  n[2] = 0;
  n[axis] = sign;
  return near;
}

function meetDrum(s: Vec, o: Vec, d: Vec, n: number[]): number {
  const a = d[0] * d[0] + d[2] * d[2];
  const b = o[0] * d[0] + o[2] * d[2];
  const c = o[0] * o[0] + o[2] * o[2] - s[0] * s[0];
  const root = b * b - a * c;
  let best = Infinity;
  if (root > 0) {
    const t = (-b - Math.sqrt(root)) / a;
    const y = o[1] + t * d[1];
    if (t > EPSILON && Math.abs(y) < s[1]) {
      best = t;
      n[0] = (o[0] + t * d[0]) / s[0];
      n[1] = 0;
      n[2] = (o[2] + t * d[2]) / s[0];
    }
  }
  const side = d[1] < 0 ? 1 : -1;
  const t = (side * s[1] - o[1]) / d[1];
  const x = o[0] + t * d[0];
  const z = o[2] + t * d[2];
  if (t > EPSILON && t < best && x * x + z * z < s[0] * s[0]) {
    best = t;
    n[0] = 0;
    n[1] = side;
    n[2] = 0;
  }
  return best;
}

function meetBall(s: Vec, o: Vec, d: Vec, n: number[]): number {
  const b = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
  const root = b * b - (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - s[0] * s[0]);
  if (root < 0) return Infinity;
  const t = -b - Math.sqrt(root);
  if (t < EPSILON) return Infinity;
  for (let k = 0; k < 3; k += 1) n[k] = ((o[k] ?? 0) + t * (d[k] ?? 0)) / s[0];
  return t;
}

/** A tree of bounding spheres: a ray that misses a sphere misses all solids inside it. */
export type Heap = {
  readonly at: Vec;
  readonly reach: number;
  readonly parts: readonly [Heap, Heap] | null;
  readonly solids: readonly Solid[];
};
const HANDFUL = 4;

export function heapOf(solids: readonly Solid[]): Heap {
  const low = [0, 1, 2].map((k) => Math.min(...solids.map((one) => (one.at[k] ?? 0) - one.reach)));
  const high = [0, 1, 2].map((k) => Math.max(...solids.map((one) => (one.at[k] ?? 0) + one.reach)));
  const middle = (k: number): number => ((low[k] ?? 0) + (high[k] ?? 0)) / 2;
  const at: Vec = [middle(0), middle(1), middle(2)];
  const reach = Math.max(
    ...solids.map((one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1], one.at[2] - at[2]) + one.reach),
  );
  if (solids.length <= HANDFUL) return { at, reach, parts: null, solids };
  const widths = [0, 1, 2].map((k) => (high[k] ?? 0) - (low[k] ?? 0));
  const axis = widths.indexOf(Math.max(...widths));
  // Keep room-sized solids at the top: they would enlarge every sphere.
  const sorted = solids.toSorted((a, b) => a.reach - b.reach || (a.at[axis] ?? 0) - (b.at[axis] ?? 0));
  const huge = sorted.filter((one) => one.reach > reach / 3);
  const rest = sorted.filter((one) => one.reach <= reach / 3).toSorted((a, b) => (a.at[axis] ?? 0) - (b.at[axis] ?? 0));
  if (rest.length < 2) return { at, reach, parts: null, solids };
  const half = Math.ceil(rest.length / 2);
  return { at, reach, parts: [heapOf(rest.slice(0, half)), heapOf(rest.slice(half))], solids: huge };
}

const own: [number, number, number] = [0, 0, 0];
const way: [number, number, number] = [0, 0, 0];
const normal = [0, 0, 0];

/** Whether a ray enters a sphere before `upTo`. */
function touches(ball: { at: Vec; reach: number }, from: Vec, along: Vec, upTo: number): boolean {
  const x = from[0] - ball.at[0];
  const y = from[1] - ball.at[1];
  const z = from[2] - ball.at[2];
  const c = x * x + y * y + z * z - ball.reach * ball.reach;
  if (c <= 0) return true;
  const b = x * along[0] + y * along[1] + z * along[2];
  return b < 0 && b * b >= c && -b - Math.sqrt(b * b - c) <= upTo;
}

/** Writes the nearest hit of a ray to `hit`. With `any`, stops at the first hit found, which is enough for shadows. */
export function meet(heap: Heap, from: Vec, along: Vec, upTo: number, hit: Hit, any = false): boolean {
  hit.t = upTo;
  hit.solid = null;
  search(heap, from, along, hit, any);
  return hit.solid !== null;
}

function search(heap: Heap, from: Vec, along: Vec, hit: Hit, any: boolean): void {
  if (!touches(heap, from, along, hit.t)) return;
  for (const one of heap.solids) {
    if (touches(one, from, along, hit.t)) measure(one, from, along, hit);
    if (any && hit.solid) return;
  }
  if (heap.parts === null) return;
  search(heap.parts[0], from, along, hit, any);
  if (any && hit.solid) return;
  search(heap.parts[1], from, along, hit, any);
}

/** Writes a solid to `hit` when it is nearer than the current one. */
function measure(one: Solid, from: Vec, along: Vec, hit: Hit): void {
  const x = from[0] - one.at[0];
  const y = from[1] - one.at[1];
  const z = from[2] - one.at[2];
  for (let k = 0; k < 3; k += 1) {
    const row = one.turn[k] ?? STRAIGHT[0];
    own[k] = row[0] * x + row[1] * y + row[2] * z;
    way[k] = row[0] * along[0] + row[1] * along[1] + row[2] * along[2];
  }
  const t =
    one.kind === 'box'
      ? meetBox(one.size, own, way, normal)
      : one.kind === 'drum'
        ? meetDrum(one.size, own, way, normal)
        : meetBall(one.size, own, way, normal);
  if (t >= hit.t) return;
  hit.t = t;
  hit.solid = one;
  for (let k = 0; k < 3; k += 1) {
    hit.p[k] = (own[k] ?? 0) + t * (way[k] ?? 0);
    hit.n[k] =
      (one.turn[0][k] ?? 0) * (normal[0] ?? 0) +
      (one.turn[1][k] ?? 0) * (normal[1] ?? 0) +
      (one.turn[2][k] ?? 0) * (normal[2] ?? 0);
  }
}
