import sharp from 'sharp';
import type { Core } from '../core/core.ts';
import type { Specimen } from './specimen.ts';

export type SpecimenMemory = {
  remember(specimen: Specimen, picture: Uint8Array): Promise<void>;
  /** The specimen a picture shows, also after it was made smaller, written anew and stripped of its metadata; null: none of the last ones. */
  recognise(picture: Uint8Array): Promise<Specimen | null>;
  clear(): void;
};
type Remembered = { specimen: Specimen; look: string };

const COLUMNS = 96;
const ROWS = 60;
const GROUND_BLUR = 3;
const KEPT = 40;
/** Measured: 0 to 4 for the same specimen in another size and format, 20 and more for another name; other pictures have hundreds. */
export const SAME_BELOW = 12;

/** What the drawn specimens look like from afar, so that the vision model can tell whose licence it is shown. */
export function createSpecimenMemory(core: Core): SpecimenMemory {
  const kept = core.state.load<{ specimens: Remembered[] }>('specimens', { specimens: [] });
  return {
    async remember(specimen, picture) {
      const look = Buffer.from(await lookOf(picture)).toString('base64');
      const same = JSON.stringify(specimen);
      const others = kept.specimens.filter((one) => JSON.stringify(one.specimen) !== same);
      kept.specimens = [{ specimen, look }, ...others].slice(0, KEPT);
      core.state.changed();
    },
    async recognise(picture) {
      const look = await lookOf(picture);
      const nearest = kept.specimens
        .map((one) => ({ specimen: one.specimen, distance: distance(Buffer.from(one.look, 'base64'), look) }))
        .toSorted((a, b) => a.distance - b.distance)[0];
      return nearest && nearest.distance < SAME_BELOW ? nearest.specimen : null;
    },
    clear: () => void (kept.specimens = []),
  };
}

/**
 * What is printed where: a small grey copy with its slow changes of light taken out, so that neither size, format nor brightness matter much.
 * 128 is even ground. Throws when the bytes are no picture.
 */
export async function lookOf(picture: Uint8Array): Promise<Uint8Array> {
  // Unpacked in full first: what JPEG is shrunk by while unpacking would give another picture than other formats give.
  const { data, info } = await sharp(picture)
    .rotate()
    .removeAlpha()
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const full = { raw: { width: info.width, height: info.height, channels: info.channels } };
  const small = await sharp(data, full).resize(COLUMNS, ROWS, { fit: 'fill' }).toColourspace('b-w').raw().toBuffer();
  const tiny = { raw: { width: COLUMNS, height: ROWS, channels: 1 } } as const;
  const ground = await sharp(small, tiny).blur(GROUND_BLUR).toColourspace('b-w').raw().toBuffer();
  return small.map((value, at) => Math.max(0, Math.min(255, 128 + value - (ground[at] ?? 0))));
}

/** Mean square of the difference. */
export function distance(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (const [at, value] of one.entries()) sum += (value - (other[at] ?? 0)) ** 2;
  return sum / Math.max(1, one.length);
}
