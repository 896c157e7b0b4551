import { heapOf, type Hit, meet, type Solid, type Vec } from './solids.ts';

/** A rectangular lamp; `focus` above 0 makes it a beam. `half` and `tall` are its half edges; it faces half × tall. */
export type Lamp = {
  readonly at: Vec;
  readonly half: Vec;
  readonly tall: Vec;
  readonly light: Vec;
  readonly focus: number;
};
export type Scene = {
  readonly solids: readonly Solid[];
  readonly lamps: readonly Lamp[];
  readonly eye: Vec;
  readonly target: Vec;
  /** Vertical field of view in degrees. */
  readonly view: number;
  /** Radius of the lens, and the focus distance. */
  readonly lens: number;
  readonly sharpAt: number;
  /** Density of the haze per metre. */
  readonly haze: number;
  readonly ambient: Vec;
};

const DEPTH = 4;
const FIREFLY = 12;
const NOTHING: Vec = [0, 0, 0];
const EMPTY = { glow: NOTHING, haze: NOTHING, colour: NOTHING, normal: NOTHING, at: NOTHING, shine: 0 };
const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const vec = (at: (k: 0 | 1 | 2) => number): Vec => [at(0), at(1), at(2)];
const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vec): Vec => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};

/** A seeded generator: the same numbers in every run. */
export function dice(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Samples a direction about an axis: cosine-weighted, narrower for a higher power. */
function about(axis: Vec, power: number, roll: () => number): Vec {
  const cos = Math.pow(roll(), 1 / (power + 1));
  const sin = Math.sqrt(1 - cos * cos);
  const angle = 2 * Math.PI * roll();
  const side = unit(cross(Math.abs(axis[0]) > 0.6 ? [0, 1, 0] : [1, 0, 0], axis));
  const up = cross(axis, side);
  const [x, y] = [sin * Math.cos(angle), sin * Math.sin(angle)];
  return [
    side[0] * x + up[0] * y + axis[0] * cos,
    side[1] * x + up[1] * y + axis[1] * cos,
    side[2] * x + up[2] * y + axis[2] * cos,
  ];
}

/** What rays need of a scene. */
type Tracer = {
  readonly scene: Scene;
  readonly solids: ReturnType<typeof heapOf>;
  /** Where each lamp faces, and its area. */
  readonly fronts: readonly Vec[];
  readonly areas: readonly number[];
  /** Reused by every ray. */
  readonly hit: Hit;
  readonly shade: Hit;
  readonly roll: () => number;
};

/**
 * What one ray brings back. The parts of its light are apart, because each has noise of its own: `glow` is seen directly and has none.
 * The other fields describe the first surface, for the filter that removes the noise.
 */
export type Sample = {
  readonly glow: Vec;
  readonly haze: Vec;
  readonly matt: Vec;
  readonly mirror: Vec;
  readonly colour: Vec;
  readonly normal: Vec;
  readonly at: Vec;
  readonly shine: number;
};

/**
 * Traces rays from the camera; `sampleAt` follows one through a point of the picture, 0–1 from its upper left. `part` says at which part of
 * its way (0–1) the haze is measured: rays of a pixel that share the way evenly have little noise.
 */
export function createTracer(scene: Scene, aspect: number, roll: () => number) {
  const { lamps } = scene;
  const forward = unit(vec((k) => scene.target[k] - scene.eye[k]));
  const right = unit(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const height = 2 * Math.tan((scene.view * Math.PI) / 360);
  const tracer: Tracer = {
    scene,
    solids: heapOf(scene.solids),
    fronts: lamps.map((lamp) => unit(cross(lamp.half, lamp.tall))),
    areas: lamps.map((lamp) => 4 * Math.hypot(...lamp.half) * Math.hypot(...lamp.tall)),
    hit: { t: 0, solid: null, n: [0, 0, 0], p: [0, 0, 0] },
    shade: { t: 0, solid: null, n: [0, 0, 0], p: [0, 0, 0] },
    roll,
  };
  return {
    sampleAt(x: number, y: number, part: number): Sample {
      const [u, v] = [(x - 0.5) * height * aspect, (0.5 - y) * height];
      const d = vec((k) => forward[k] + right[k] * u + up[k] * v);
      const angle = 2 * Math.PI * roll();
      const radius = scene.lens * Math.sqrt(roll());
      const [a, b] = [radius * Math.cos(angle), radius * Math.sin(angle)];
      const eye = vec((k) => scene.eye[k] + right[k] * a + up[k] * b);
      const sharp = vec((k) => scene.eye[k] + d[k] * scene.sharpAt);
      return follow(tracer, eye, unit([sharp[0] - eye[0], sharp[1] - eye[1], sharp[2] - eye[2]]), part);
    },
  };
}

/** Returns the lamps' light on a surface (`n`) or in the haze (null), from one lamp sampled by its contribution. */
function lit(tracer: Tracer, at: Vec, n: Vec | null): Vec {
  const { scene, solids, fronts, areas, shade, roll } = tracer;
  const { lamps } = scene;
  let sum = 0;
  let chosen = -1;
  let gives = 0;
  let to: Vec = [0, 0, 0];
  let far = 0;
  for (const [index, lamp] of lamps.entries()) {
    const [u, v] = [2 * roll() - 1, 2 * roll() - 1];
    const x = lamp.at[0] + u * lamp.half[0] + v * lamp.tall[0] - at[0];
    const y = lamp.at[1] + u * lamp.half[1] + v * lamp.tall[1] - at[1];
    const z = lamp.at[2] + u * lamp.half[2] + v * lamp.tall[2] - at[2];
    const distance = Math.sqrt(x * x + y * y + z * z);
    const d: Vec = [x / distance, y / distance, z / distance];
    const leaves = -dot(d, fronts[index] ?? d);
    const arrives = n === null ? 1 / 4 : dot(d, n) / Math.PI;
    if (leaves <= 0 || arrives <= 0) continue;
    const beam = lamp.focus > 0 ? Math.pow(leaves, lamp.focus) : leaves;
    const brightness = lamp.light[0] + lamp.light[1] + lamp.light[2];
    const weight = (brightness * beam * arrives * (areas[index] ?? 0)) / Math.max(distance * distance, 0.01);
    if (weight <= 0) continue;
    sum += weight;
    if (roll() * sum >= weight) continue;
    chosen = index;
    gives = brightness;
    to = d;
    far = distance;
  }
  const lamp = lamps[chosen];
  if (!lamp || meet(solids, at, to, far - 0.03, shade, true)) return [0, 0, 0];
  const scale = (sum / gives) * Math.exp(-scene.haze * far);
  return [lamp.light[0] * scale, lamp.light[1] * scale, lamp.light[2] * scale];
}

/** The light that the haze sends to the eye, measured at `part` of the way to the first surface. */
function hazeLight(tracer: Tracer, eye: Vec, d: Vec, t: number, part: number): Vec {
  const { scene } = tracer;
  if (scene.haze === 0) return NOTHING;
  const way = Math.min(t, 14);
  const stop = part * way;
  const glow = lit(tracer, [eye[0] + d[0] * stop, eye[1] + d[1] * stop, eye[2] + d[2] * stop], null);
  const share = scene.haze * way * Math.exp(-scene.haze * stop);
  return vec((k) => Math.min(glow[k] * share, FIREFLY));
}

/** Follows one ray and its reflections. */
function follow(tracer: Tracer, eye: Vec, along: Vec, part: number): Sample {
  const { scene, solids, hit, roll } = tracer;
  const out: [number, number, number] = [0, 0, 0];
  let from = eye;
  let d = along;
  let through: Vec = [1, 1, 1];
  let mirrored = true;
  let first: Omit<Sample, 'matt' | 'mirror'> = EMPTY;
  let matt = false;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const met = meet(solids, from, d, 60, hit);
    const t = hit.t;
    const haze = depth === 0 ? hazeLight(tracer, from, d, t, part) : NOTHING;
    if (!met || hit.solid === null) {
      if (depth === 0) first = { ...EMPTY, haze };
      break;
    }
    const { look } = hit.solid;
    const base = look.pattern ? look.pattern(...hit.p) : look.colour;
    const n: Vec = [hit.n[0], hit.n[1], hit.n[2]];
    const at: Vec = [from[0] + d[0] * t, from[1] + d[1] * t, from[2] + d[2] * t];
    const above: Vec = [at[0] + n[0] * 1e-3, at[1] + n[1] * 1e-3, at[2] + n[2] * 1e-3];
    const add = (light: Vec, tint: Vec): void => {
      for (let k = 0; k < 3; k += 1)
        out[k] = (out[k] ?? 0) + Math.min((through[k] ?? 0) * (light[k] ?? 0) * (tint[k] ?? 0), FIREFLY);
    };
    const shine = look.shine ?? 0.03;
    if (depth === 0)
      first = { glow: look.glow ?? NOTHING, haze, colour: base, normal: n, at, shine: shine + (look.glow ? 2 : 0) };
    else if (look.glow && mirrored) add(look.glow, [1, 1, 1]);
    const facing = Math.max(-dot(n, d), 0);
    const share = shine + (1 - shine) * Math.pow(1 - facing, 5) * (look.metal ? 1 : 0.6);
    if (roll() < share) {
      const mirror: Vec = [d[0] + 2 * facing * n[0], d[1] + 2 * facing * n[1], d[2] + 2 * facing * n[2]];
      const blur = look.blur ?? 0.3;
      d = unit(about(unit(mirror), 2 / Math.max(blur * blur * blur, 1e-5), roll));
      if (dot(d, n) <= 0) break;
      if (look.metal) through = [through[0] * base[0], through[1] * base[1], through[2] * base[2]];
    } else {
      if (depth === 0) matt = true;
      add(lit(tracer, above, n), base);
      add(scene.ambient, base);
      d = about(n, 1, roll);
      through = [through[0] * base[0], through[1] * base[1], through[2] * base[2]];
      mirrored = false;
    }
    from = above;
  }
  return { ...first, matt: matt ? out : NOTHING, mirror: matt ? NOTHING : out };
}
