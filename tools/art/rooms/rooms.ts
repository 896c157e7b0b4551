import { camera, COLD, glowing, looks, mixer, player, SIGNAL, speaker, turntable, WARM } from './gear.ts';
import { ball, box, drum, type Look, type Solid, turned, type Vec } from './solids.ts';
import type { Lamp, Scene } from './tracer.ts';

const times = (light: Vec, by: number): Vec => [light[0] * by, light[1] * by, light[2] * by];
/** Hashes a number to a number. */
const speckle = (value: number): number => {
  const wave = Math.sin(value * 127.1) * 43758.5453;
  return wave - Math.floor(wave);
};
/** The lamp of a moving head: a small square at `at` that faces `to`. */
function beam(at: Vec, to: Vec, light: Vec, focus: number, size: number): Lamp {
  const length = Math.hypot(to[0] - at[0], to[1] - at[1], to[2] - at[2]);
  const [x, y, z] = [(to[0] - at[0]) / length, (to[1] - at[1]) / length, (to[2] - at[2]) / length];
  const flat = Math.hypot(x, z) || 1;
  const half: Vec = [(-z / flat) * size, 0, (x / flat) * size];
  // half × tall is the direction it faces.
  const tall: Vec = [((x * y) / flat) * size, -flat * size, ((z * y) / flat) * size];
  return { at, half, tall, light, focus };
}

/** The clock of the first page's film as a neon ring on the wall: three o'clock. */
function clock(at: Vec, radius: number): Solid[] {
  const warm = glowing([6, 2.1, 1]);
  const white = glowing([5, 4, 3.4]);
  const around = (count: number, one: (angle: number, x: number, y: number) => Solid): Solid[] =>
    Array.from({ length: count }, (_, step) => {
      const angle = (step / count) * 360;
      const rad = (angle * Math.PI) / 180;
      return one(angle, Math.cos(rad), Math.sin(rad));
    });
  const length = (2 * Math.PI * radius) / 72;
  return [
    ...around(72, (angle, x, y) =>
      box([at[0] + x * radius, at[1] + y * radius, at[2]], [0.032, length * 1.1, 0.03], warm, turned(0, 0, angle)),
    ),
    ...around(12, (angle, x, y) =>
      box(
        [at[0] + x * radius * 0.86, at[1] + y * radius * 0.86, at[2]],
        [0.05, 0.008, 0.008],
        glowing([1.6, 1, 0.8]),
        turned(0, 0, angle),
      ),
    ),
    box([at[0], at[1] + radius * 0.3, at[2]], [0.03, radius * 0.66, 0.03], white),
    box([at[0] + radius * 0.22, at[1], at[2]], [radius * 0.48, 0.03, 0.03], white),
  ];
}

/** Studio A: the club rig on its raised booth, four stacks, haze, moving lights. */
export function roomA(): Scene {
  const floor: Look = { colour: [0.035, 0.034, 0.034], shine: 0.12, blur: 0.12 };
  const ribs: Solid[] = [];
  for (let x = -4.2; x <= 4.2; x += 0.28)
    ribs.push(box([x, 1.5, -2.9], [0.1, 3, 0.12], { colour: [0.07, 0.066, 0.064], shine: 0.03, blur: 0.5 }));
  const stack = (x: number, z: number, yaw: number): Solid[] => [
    ...speaker([x, 0, z], yaw, [0.72, 1.05, 0.7], [[0.52, 0.29]]),
    ...speaker(
      [x, 1.08, z],
      yaw,
      [0.62, 0.95, 0.52],
      [
        [0.3, 0.2],
        [0.72, 0.1],
      ],
    ),
  ];
  const heads: readonly (readonly [number, Vec, Vec, number])[] = [
    [-2.5, [-1.0, 0, 0.9], SIGNAL, 9000],
    [-1.25, [-2.3, 0, 0.4], SIGNAL, 8000],
    [-0.4, [-0.7, 1, -0.3], [1, 0.8, 0.6], 7000],
    [0.4, [0.7, 1, -0.3], [1, 0.8, 0.6], 7000],
    [1.25, [2.3, 0, 0.4], SIGNAL, 8000],
    [2.5, [1.0, 0, 0.9], SIGNAL, 9000],
  ];
  const booth = 1.02;
  return {
    eye: [0.62, 2.0, 2.95],
    target: [0.02, 1.36, -0.6],
    view: 45,
    lens: 0.008,
    sharpAt: 3.3,
    haze: 0.007,
    ambient: [0.006, 0.005, 0.005],
    solids: [
      box([0, -0.05, 0], [12, 0.1, 12], floor),
      box([0, 1.6, -3.0], [10, 3.4, 0.1], { colour: [0.05, 0.048, 0.047], shine: 0.02, blur: 0.5 }),
      ...ribs,
      box([-4.3, 1.6, 0], [0.1, 3.4, 8], { colour: [0.04, 0.04, 0.042] }),
      box([4.3, 1.6, 0], [0.1, 3.4, 8], { colour: [0.04, 0.04, 0.042] }),
      box([0, 3.25, 0], [10, 0.1, 10], { colour: [0.02, 0.02, 0.02] }),
      // the booth on its step, with a line of light along its foot and its edge
      box([0, 0.1, -0.6], [3.3, 0.2, 1.7], looks.black),
      box([0, 0.205, 0.255], [3.3, 0.012, 0.012], glowing(times(SIGNAL, 3))),
      box([0, 0.6, -0.4], [2.5, 0.8, 0.75], { colour: [0.045, 0.043, 0.042], shine: 0.06, blur: 0.2 }),
      box([0, booth - 0.02, -0.38], [2.62, 0.05, 0.86], looks.satin),
      box([0, booth - 0.055, 0.056], [2.62, 0.012, 0.012], glowing(times(SIGNAL, 5))),
      ...[-0.95, -0.55, 0.55, 0.95].flatMap((x) => player([x, booth + 0.005, -0.35], 0, SIGNAL)),
      ...mixer([0, booth + 0.005, -0.35], 0, 4, [0.2, 1, 0.4]),
      ...stack(-2.15, -1.1, 20),
      ...stack(2.15, -1.1, -20),
      ...speaker([-1.62, booth - 0.1, -0.75], 40, [0.34, 0.5, 0.32], [[0.2, 0.12]]),
      ...speaker([1.62, booth - 0.1, -0.75], -40, [0.34, 0.5, 0.32], [[0.2, 0.12]]),
      ...clock([0, 1.92, -2.78], 0.56),
      // truss and heads
      ...[2.72, 2.94].map((y) => drum([0, y, -0.9], 0.022, 6.6, looks.dark, turned(0, 0, 90))),
      ...Array.from({ length: 22 }, (_, at) =>
        drum([-3.1 + at * 0.295, 2.83, -0.9], 0.01, 0.3, looks.dark, turned(0, 0, at % 2 ? 42 : -42)),
      ),
      ...heads.flatMap(([x]) => [
        box([x, 2.6, -0.9], [0.17, 0.14, 0.2], looks.black),
        ball([x, 2.44, -0.86], 0.115, looks.satin),
      ]),
      ...heads.map(([x, , light]) => ball([x, 2.36, -0.79], 0.05, glowing(times(light, 16)))),
    ],
    lamps: [
      ...heads.map(([x, to, light, power]) => beam([x, 2.3, -0.74], to, times(light, power), 60, 0.045)),
      { at: [0, 0.2, 0.28], half: [1.6, 0, 0], tall: [0, 0.012, 0], light: times(SIGNAL, 12), focus: 0 },
      { at: [0, 2.9, -2.72], half: [3.8, 0, 0], tall: [0, 0, 0.05], light: times(SIGNAL, 75), focus: 0 },
      { at: [0, 1.92, -2.7], half: [0.5, 0, 0], tall: [0, 0.5, 0], light: [7, 1.5, 0.5], focus: 0 },
      // the key light: soft, from the front and above, on decks and stacks
      { at: [-1.4, 3.1, 1.7], half: [0.9, 0, 0], tall: [0, -0.45, 0.5], light: [2.2, 2, 1.9], focus: 0 },
      { at: [0, 3.1, 2.6], half: [1.8, 0, 0], tall: [0, -0.25, 0.7], light: [0.6, 0.7, 0.9], focus: 0 },
      beam([-2.6, 2.6, 2.6], [-2.15, 1, -1], [42, 46, 56], 10, 0.1),
      beam([2.6, 2.6, 2.6], [2.15, 1, -1], [42, 46, 56], 10, 0.1),
      { at: [-4, 1.8, 1.4], half: [-0.3, 0, -0.4], tall: [0, 0.8, 0], light: times(COLD, 5), focus: 0 },
      { at: [4, 1.8, 1.4], half: [-0.3, 0, 0.4], tall: [0, 0.8, 0], light: times(SIGNAL, 9), focus: 0 },
    ],
  };
}

/** A wall of records, six bays wide. */
function recordShelves(wood: Look, spines: (bay: number) => Look): Solid[] {
  const shelves: Solid[] = [];
  for (const y of [0.62, 1.02, 1.42, 1.82, 2.22]) {
    shelves.push(box([0, y, -1.55], [4.6, 0.03, 0.4], wood));
    for (let bay = 0; bay < 6; bay += 1)
      shelves.push(
        box([-1.9 + bay * 0.76, y + 0.175, -1.56], [0.68 - speckle(bay + y) * 0.16, 0.31, 0.33], spines(bay + y * 7)),
      );
  }
  for (let bay = 0; bay <= 6; bay += 1) shelves.push(box([-2.28 + bay * 0.76, 1.4, -1.55], [0.03, 2, 0.4], wood));
  return shelves;
}

const WOOD: Look = {
  colour: [0.2, 0.1, 0.045],
  shine: 0.05,
  blur: 0.35,
  pattern: (x, y) => {
    const grain = 0.75 + 0.35 * Math.sin(y * 46 + Math.sin(x * 7 + y * 3) * 2.4) * Math.sin(y * 11 + x);
    return [0.2 * grain, 0.098 * grain, 0.043 * grain];
  },
};
/** The spines of the records of a bay: thin stripes of many colours. */
const spinesOf = (bay: number): Look => ({
  colour: [0.3, 0.3, 0.3],
  shine: 0.04,
  blur: 0.4,
  pattern: (x) => {
    const cell = Math.floor(x / 0.0085) + Math.round(bay * 977);
    const hue = speckle(cell);
    const tone = 0.06 + 0.5 * speckle(cell + 0.5) ** 2;
    if (hue > 0.9) return [tone, tone * 0.28, tone * 0.1];
    if (hue > 0.7) return [tone, tone * 0.85, tone * 0.62];
    return hue > 0.45 ? [tone * 0.28, tone * 0.32, tone * 0.36] : [tone * 0.5, tone * 0.42, tone * 0.34];
  },
});

/** Studio B: two turntables and a rotary mixer in front of a wall of records. */
export function roomB(): Scene {
  const shelves = recordShelves(WOOD, spinesOf);
  const table = 0.92;
  const knobs = [-0.09, -0.03, 0.03, 0.09].flatMap((x) => [
    drum([x, table + 0.135, 0.0], 0.02, 0.03, looks.dark),
    drum([x, table + 0.13, -0.09], 0.012, 0.02, looks.steel),
    drum([x, table + 0.14, 0.1], 0.026, 0.04, looks.black),
    drum([x, table + 0.162, 0.1], 0.018, 0.004, looks.steel),
  ]);
  const bulb: Vec = [-0.62, 1.74, 0.0];
  return {
    eye: [0.5, 1.72, 1.12],
    target: [-0.06, 1.06, -0.12],
    view: 46,
    lens: 0.009,
    sharpAt: 1.5,
    haze: 0.006,
    ambient: [0.012, 0.01, 0.009],
    solids: [
      box([0, -0.05, 0], [9, 0.1, 9], { colour: [0.06, 0.045, 0.035], shine: 0.04, blur: 0.4 }),
      box([0, 1.5, -1.8], [9, 3.2, 0.1], { colour: [0.05, 0.04, 0.035] }),
      ...shelves,
      box([0, table - 0.025, 0], [2.1, 0.05, 0.62], WOOD),
      box([0, table - 0.45, -0.05], [1.9, 0.8, 0.5], { colour: [0.05, 0.03, 0.02] }),
      ...turntable([-0.46, table, 0.02], 0, [0.85, 0.24, 0.08]),
      ...turntable([0.46, table, 0.02], 0, [0.75, 0.62, 0.4]),
      box([0, table + 0.06, 0.02], [0.31, 0.12, 0.35], {
        colour: [0.07, 0.065, 0.06],
        shine: 0.3,
        blur: 0.3,
        metal: true,
      }),
      box([0, table + 0.085, 0.02], [0.34, 0.13, 0.02], WOOD),
      ...knobs,
      ...[0, 1, 2, 3, 4, 5].map((step) =>
        box(
          [0.06 - step * 0.024, table + 0.123, -0.12],
          [0.014, 0.006, 0.008],
          glowing(step < 2 ? [3, 0.5, 0.12] : [1.6, 1.1, 0.35]),
        ),
      ),
      ...speaker(
        [-1.05, table + 0.28, -0.62],
        22,
        [0.27, 0.42, 0.3],
        [
          [0.15, 0.1],
          [0.32, 0.045],
        ],
      ),
      ...speaker(
        [1.05, table + 0.28, -0.62],
        -22,
        [0.27, 0.42, 0.3],
        [
          [0.15, 0.1],
          [0.32, 0.045],
        ],
      ),
      drum([-1.05, 0.6, -0.62], 0.03, 1.2, looks.dark),
      drum([1.05, 0.6, -0.62], 0.03, 1.2, looks.dark),
      // the lamp over the left record
      ball(bulb, 0.05, glowing([14, 8, 3.4])),
      drum([bulb[0], bulb[1] + 0.07, 0], 0.15, 0.1, { colour: [0.5, 0.17, 0.05], shine: 0.3, blur: 0.3, metal: true }),
      drum([bulb[0], bulb[1] + 0.7, 0], 0.006, 1.2, looks.black),
      // headphones: a ring on the table
      ball([0.82, table + 0.05, 0.2], 0.05, looks.rubber),
      ball([0.95, table + 0.05, 0.12], 0.05, looks.rubber),
    ],
    lamps: [
      { at: [bulb[0], bulb[1] - 0.06, 0], half: [0.06, 0, 0], tall: [0, 0, 0.06], light: times(WARM, 330), focus: 0 },
      { at: [0, 2.5, -1.2], half: [2.2, 0, 0], tall: [0, -0.01, 0.04], light: times(WARM, 95), focus: 0 },
      // the key light: soft, from above and behind the shoulder
      { at: [0.9, 2.9, 1.3], half: [0.7, 0, 0], tall: [0, -0.35, 0.35], light: [4.4, 3.2, 2.1], focus: 0 },
      { at: [2.4, 1.9, 1.4], half: [-0.2, 0, 0.3], tall: [0, 0.5, 0], light: times(COLD, 5), focus: 0 },
      { at: [-2.4, 1.6, 0.9], half: [-0.2, 0, -0.3], tall: [0, 0.4, 0], light: times(SIGNAL, 5), focus: 0 },
    ],
  };
}

/** Studio C: a white sweep, key and colour light, three cameras on one deck. */
export function roomC(): Scene {
  const sweep: Look = { colour: [0.62, 0.62, 0.62], shine: 0.02, blur: 0.5 };
  const curve = Array.from({ length: 9 }, (_, at) => {
    const angle = (at / 8) * 90;
    const rad = (angle * Math.PI) / 180;
    return box([0, 0.8 - 0.8 * Math.cos(rad), -1.7 - 0.8 * Math.sin(rad)], [11, 0.02, 0.2], sweep, turned(0, angle));
  });
  const soft = (at: Vec, yaw: number, light: Vec): Solid[] => [
    box(at, [0.9, 0.66, 0.05], { ...glowing(light) }, turned(yaw, 12)),
    box([at[0] * 1.03, at[1] + 0.01, at[2] - 0.06], [0.96, 0.72, 0.06], looks.black, turned(yaw, 12)),
    drum([at[0], at[1] / 2, at[2] - 0.08], 0.016, at[1], looks.dark),
  ];
  const table = 0.94;
  return {
    eye: [0.85, 1.68, 3.55],
    target: [0.04, 1.08, -0.2],
    view: 39,
    lens: 0.009,
    sharpAt: 3.6,
    haze: 0.006,
    ambient: [0.02, 0.021, 0.023],
    solids: [
      box([0, -0.05, 1], [12, 0.1, 12], { colour: [0.13, 0.13, 0.135], shine: 0.05, blur: 0.2 }),
      box([0, -0.005, 0.2], [11, 0.02, 3.9], sweep),
      ...curve,
      box([0, 2.3, -2.5], [11, 3, 0.04], sweep),
      box([0, 3.3, 0], [10, 0.1, 10], { colour: [0.02, 0.02, 0.02] }),
      box([0, table / 2, -0.1], [1.35, table - 0.04, 0.6], looks.satin),
      box([0, table - 0.01, -0.1], [1.5, 0.04, 0.7], looks.black),
      box([0, table - 0.05, 0.252], [1.5, 0.01, 0.01], glowing(times(SIGNAL, 8))),
      ...player([-0.46, table + 0.01, -0.08], 0, COLD),
      ...player([0.46, table + 0.01, -0.08], 0, COLD),
      ...mixer([0, table + 0.01, -0.08], 0, 4, [0.25, 0.8, 1]),
      ...soft([-1.95, 2.0, 0.5], 66, [1.7, 1.8, 1.9]),
      ...camera([1.75, 0, 1.15], 236, 1.32, true),
      ...camera([-1.35, 0, 1.75], 142, 1.12, false),
      ...camera([0.02, 0, 2.2], 180, 0.98, true),
      // a monitor with the picture beside it
      box([1.75, 1.62, -1.0], [0.95, 0.56, 0.04], looks.black, turned(-28)),
      box([1.745, 1.62, -0.978], [0.9, 0.51, 0.02], { ...glowing([0.05, 0.09, 0.16]) }, turned(-28)),
      box([1.74, 1.55, -0.966], [0.42, 0.16, 0.01], glowing(times(SIGNAL, 0.55)), turned(-28)),
      box([1.74, 1.66, -0.966], [0.1, 0.1, 0.012], glowing([0.02, 0.02, 0.03]), turned(-28)),
      box([1.4, 1.8, -0.79], [0.05, 0.03, 0.01], glowing([2.4, 0.2, 0.1]), turned(-28)),
      drum([1.76, 0.7, -1.03], 0.02, 1.4, looks.dark),
    ],
    lamps: [
      { at: [-1.93, 1.98, 0.54], half: [-0.1, 0, -0.33], tall: [0.05, 0.32, 0], light: [13, 13.6, 14.4], focus: 0 },
      beam([2.7, 2.6, -0.4], [0.6, 0.5, -2.5], times(SIGNAL, 95), 4, 0.2),
      beam([-2.7, 0.4, -1.0], [-0.9, 1.2, -2.5], times(COLD, 34), 3, 0.2),
      beam([2.0, 2.9, -1.7], [0, 1, -0.1], times(SIGNAL, 160), 20, 0.1),
      { at: [0.6, 2.6, 3.4], half: [0.7, 0, 0], tall: [0, -0.3, 0.4], light: [2.6, 2.7, 2.9], focus: 0 },
      // the key light, from above
      beam([-0.3, 3.1, 0.7], [0, 0.9, -0.1], [90, 87, 84], 8, 0.2),
    ],
  };
}
