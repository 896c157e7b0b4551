import { ball, box, drum, type Look, type Solid, turned, type Vec } from './solids.ts';

/** Models of the equipment; each takes its position and the direction it faces. */
export const looks = {
  black: { colour: [0.02, 0.02, 0.022], shine: 0.05, blur: 0.3 },
  satin: { colour: [0.05, 0.05, 0.055], shine: 0.08, blur: 0.25 },
  rubber: { colour: [0.03, 0.03, 0.03], shine: 0.02, blur: 0.6 },
  steel: { colour: [0.55, 0.55, 0.57], shine: 0.7, blur: 0.22, metal: true },
  dark: { colour: [0.22, 0.22, 0.23], shine: 0.5, blur: 0.3, metal: true },
  shell: { colour: [0.085, 0.082, 0.08], shine: 0.06, blur: 0.35 },
  cone: { colour: [0.14, 0.135, 0.13], shine: 0.04, blur: 0.5 },
} satisfies Record<string, Look>;
export const glowing = (light: Vec): Look => ({ colour: [0, 0, 0], glow: light });
export const SIGNAL: Vec = [1, 0.19, 0.045];
/** A lamp as in a living room. */
export const WARM: Vec = [1, 0.6, 0.27];
export const COLD: Vec = [0.35, 0.72, 1];

const times = (light: Vec, by: number): Vec => [light[0] * by, light[1] * by, light[2] * by];
/** Converts a model's own coordinates to the room's. */
function placer(at: Vec, yaw: number) {
  const angle = (yaw * Math.PI) / 180;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const put = (x: number, y: number, z: number): Vec => [at[0] + c * x + s * z, at[1] + y, at[2] - s * x + c * z];
  return { put, turn: (tilt = 0, roll = 0) => turned(yaw, tilt, roll) };
}

/** A club player: wheel, screen, pads. `at` is the centre of its base. */
export function player(at: Vec, yaw: number, ring: Vec): Solid[] {
  const { put, turn } = placer(at, yaw);
  return [
    box(put(0, 0.055, 0), [0.33, 0.11, 0.43], looks.satin, turn()),
    drum(put(0, 0.113, 0.055), 0.125, 0.012, glowing(times(ring, 1.6))),
    drum(put(0, 0.122, 0.055), 0.117, 0.026, looks.dark),
    drum(put(0, 0.136, 0.055), 0.052, 0.004, glowing(times(ring, 0.5))),
    drum(put(0, 0.139, 0.055), 0.047, 0.004, looks.black),
    box(put(0, 0.142, -0.155), [0.27, 0.012, 0.14], looks.black, turn(-14)),
    box(put(0, 0.15, -0.155), [0.235, 0.003, 0.11], { ...glowing([0, 0, 0]), ...screen(ring) }, turn(-14)),
    drum(put(-0.125, 0.115, 0.165), 0.022, 0.014, glowing([0.1, 0.9, 0.25])),
    drum(put(-0.125, 0.115, 0.11), 0.022, 0.014, glowing([1, 0.45, 0.05])),
    box(put(0.138, 0.113, 0.1), [0.012, 0.012, 0.16], looks.rubber, turn()),
    box(put(0.138, 0.12, 0.07), [0.03, 0.016, 0.018], looks.steel, turn()),
  ];
}

/** A glowing waveform on a screen. */
function screen(ring: Vec): Look {
  return { colour: [0.01, 0.01, 0.01], shine: 0.06, blur: 0.05, glow: times([0.25 + ring[0] * 0.35, 0.28, 0.42], 0.9) };
}

/** A mixer with rows of knobs and a fader for each channel. */
export function mixer(at: Vec, yaw: number, channels: number, light: Vec): Solid[] {
  const { put, turn } = placer(at, yaw);
  const solids: Solid[] = [box(put(0, 0.055, 0), [0.34, 0.11, 0.43], looks.satin, turn())];
  for (let channel = 0; channel < channels; channel += 1) {
    const x = (channel - (channels - 1) / 2) * (0.26 / channels);
    for (let row = 0; row < 4; row += 1)
      solids.push(drum(put(x, 0.123, -0.16 + row * 0.052), 0.014, 0.028, row % 2 ? looks.steel : looks.dark));
    solids.push(
      box(put(x, 0.112, 0.11), [0.006, 0.004, 0.12], looks.black, turn()),
      box(put(x, 0.122, 0.075 + ((channel * 37) % 5) * 0.016), [0.024, 0.022, 0.014], looks.steel, turn()),
    );
    for (let step = 0; step < 5; step += 1)
      solids.push(
        box(
          put(x + 0.02, 0.112, 0.08 - step * 0.014),
          [0.006, 0.004, 0.009],
          glowing(step > 3 ? [1.6, 0.3, 0.1] : times(light, 1.1)),
          turn(),
        ),
      );
  }
  return solids;
}

/** A turntable with a record on it. */
export function turntable(at: Vec, yaw: number, label: Vec): Solid[] {
  const { put, turn } = placer(at, yaw);
  const grooves: Look = {
    colour: [0.012, 0.012, 0.012],
    shine: 0.16,
    blur: 0.16,
    pattern: (x, _y, z) => {
      const ring = Math.sin(Math.hypot(x, z) * 900) > 0.55 ? 0.03 : 0.012;
      return [ring, ring, ring];
    },
  };
  const arm = put(0.175, 0.185, 0.0);
  return [
    box(
      put(0, 0.06, 0),
      [0.45, 0.1, 0.36],
      { colour: [0.16, 0.15, 0.14], shine: 0.35, blur: 0.25, metal: true },
      turn(),
    ),
    drum(put(-0.045, 0.122, 0), 0.166, 0.024, looks.steel),
    drum(put(-0.045, 0.1365, 0), 0.151, 0.005, grooves),
    drum(put(-0.045, 0.14, 0), 0.05, 0.003, { colour: label, shine: 0.04, blur: 0.4 }),
    drum(put(-0.045, 0.146, 0), 0.004, 0.014, looks.steel),
    drum(put(0.175, 0.145, -0.115), 0.034, 0.07, looks.steel),
    drum(put(0.175, 0.185, -0.115), 0.017, 0.03, looks.dark),
    drum(arm, 0.006, 0.25, looks.steel, turned(yaw + 6, 90)),
    box(put(0.155, 0.172, 0.125), [0.022, 0.016, 0.045], looks.black, turned(yaw - 18, 6)),
    drum(put(-0.195, 0.118, 0.15), 0.022, 0.016, looks.steel),
    box(put(0.198, 0.116, 0.09), [0.014, 0.014, 0.12], looks.black, turn()),
    box(put(0.198, 0.124, 0.1), [0.026, 0.018, 0.014], looks.steel, turn()),
    ball(put(-0.205, 0.125, 0.085), 0.008, glowing(times(SIGNAL, 9))),
  ];
}

/** A loudspeaker with `ways` round drivers. */
export function speaker(at: Vec, yaw: number, size: Vec, drivers: readonly (readonly [number, number])[]): Solid[] {
  const { put, turn } = placer(at, yaw);
  const front = size[2] / 2;
  const facing = turned(yaw, 90);
  return [
    box(put(0, size[1] / 2, 0), size, looks.shell, turn()),
    ...drivers.flatMap(([y, radius]) => [
      drum(put(0, y, front), radius, 0.03, looks.steel, facing),
      drum(put(0, y, front + 0.004), radius * 0.9, 0.03, looks.rubber, facing),
      drum(put(0, y, front + 0.008), radius * 0.74, 0.03, looks.cone, facing),
      ball(put(0, y, front - radius * 0.02), radius * 0.3, looks.satin),
    ]),
  ];
}

/** A camera on a tripod that looks along its own z axis. `on` lights its red lamp. */
export function camera(at: Vec, yaw: number, tall: number, on: boolean): Solid[] {
  const { put, turn } = placer(at, yaw);
  const legs = [90, 210, 330].map((angle) => {
    const lean = -17;
    const [c, s] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    const half = (tall - 0.1) / 2;
    return drum(
      put(c * half * 0.3, half, s * half * 0.3),
      0.013,
      tall - 0.08,
      looks.dark,
      turned(yaw + 90 - angle, lean),
    );
  });
  return [
    ...legs,
    drum(put(0, tall - 0.05, 0), 0.04, 0.1, looks.dark),
    box(put(0, tall + 0.075, 0), [0.15, 0.15, 0.24], looks.satin, turn()),
    drum(put(0, tall + 0.075, 0.19), 0.058, 0.16, looks.black, turned(yaw, 90)),
    drum(
      put(0, tall + 0.075, 0.268),
      0.046,
      0.012,
      { colour: [0.02, 0.02, 0.05], shine: 0.3, blur: 0.05 },
      turned(yaw, 90),
    ),
    box(put(0.1, tall + 0.1, -0.03), [0.012, 0.11, 0.16], looks.black, turn()),
    ball(put(0.05, tall + 0.165, 0.1), 0.013, glowing(on ? [14, 0.6, 0.3] : [0.02, 0.02, 0.02])),
  ];
}
