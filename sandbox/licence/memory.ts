import sharp from 'sharp';
import type { Core } from '../core/core.ts';
import type { Specimen } from './specimen.ts';

export type SpecimenMemory = {
  remember(specimen: Specimen, picture: Uint8Array): Promise<void>;
  /**
   * Finds the specimen in a picture, even after the picture was resized, re-encoded and stripped of metadata. Returns null if it is not a
   * recent specimen.
   */
  recognise(picture: Uint8Array): Promise<Specimen | null>;
  clear(): void;
};
type Remembered = { specimen: Specimen; look: string };

const COLUMNS = 96;
const ROWS = 60;
const GROUND_BLUR = 3;
const KEPT = 40;
/**
 * Distance below which two pictures show the same specimen. Measured: 0 to 4 for the same specimen in another size and format, 20 and more
 * for another name, hundreds for other pictures.
 */
const SAME_BELOW = 12;

/** Remembers the look of each drawn specimen, so that the vision model recognises whose licence it sees. */
export function createSpecimenMemory(core: Core): SpecimenMemory {
  const saved = core.state.load<{ specimens: Remembered[] }>('specimens', { specimens: [] });
  return {
    async remember(specimen, picture) {
      const look = Buffer.from(await computeLook(picture)).toString('base64');
      const same = JSON.stringify(specimen);
      const others = saved.specimens.filter((remembered) => JSON.stringify(remembered.specimen) !== same);
      saved.specimens = [{ specimen, look }, ...others].slice(0, KEPT);
      core.state.changed();
    },
    async recognise(picture) {
      const look = await computeLook(picture);
      const nearest = saved.specimens
        .map((remembered) => ({
          specimen: remembered.specimen,
          distance: distance(Buffer.from(remembered.look, 'base64'), look),
        }))
        .toSorted((a, b) => a.distance - b.distance)[0];
      return nearest && nearest.distance < SAME_BELOW ? nearest.specimen : null;
    },
    clear: () => void (saved.specimens = []),
  };
}

/**
 * Computes a small grey copy without gradual changes of light, so that size, format and brightness hardly matter. The value of an even area
 * is 128. Throws if the bytes are not a picture.
 */
async function computeLook(picture: Uint8Array): Promise<Uint8Array> {
  // The picture is first decoded in full size, because shrink-on-load gives a different result for JPEG than for other formats.
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
  return small.map((value, index) => Math.max(0, Math.min(255, 128 + value - (ground[index] ?? 0))));
}

/** Returns the mean squared difference. */
function distance(look: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (const [index, value] of look.entries()) sum += (value - (other[index] ?? 0)) ** 2;
  return sum / Math.max(1, look.length);
}
