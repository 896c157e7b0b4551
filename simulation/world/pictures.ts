import type { Overrides } from '#server/compose.ts';

/** A licence in the simulation: what is printed on it, instead of a picture of it. */
export type Licence = {
  readonly givenNames: string;
  readonly familyName: string;
  /** YYYY-MM-DD. */
  readonly dateOfBirth: string;
  readonly expiry: string;
  readonly isLegible: boolean;
};

/** The first bytes of every JPEG. */
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

export function toPicture({ givenNames, familyName, dateOfBirth, expiry, isLegible }: Licence): string {
  const licence = JSON.stringify({ givenNames, familyName, dateOfBirth, expiry, isLegible });
  return `data:image/jpeg;base64,${Buffer.concat([JPEG, Buffer.from(licence)]).toString('base64')}`;
}

const printed = (iso: string) => ({ iso, printed: iso.split('-').toReversed().join(' ') });

/** Replace the processes that decode pictures and read licences: a picture is the text of a licence. */
export function createPictureParts(): Required<Pick<Overrides, 'pictures' | 'idReader'>> {
  const same = (bytes: Uint8Array): Promise<Uint8Array> => Promise.resolve(bytes);
  return {
    pictures: {
      repack: same,
      enhanceText: same,
      reencode: async (bytes: AsyncIterable<Uint8Array>) => {
        const parts: Uint8Array[] = [];
        for await (const part of bytes) parts.push(part);
        return Buffer.concat(parts);
      },
      make: () => Promise.reject(new Error('the simulation renders no pictures')),
      close: () => undefined,
    } as unknown as Required<Overrides>['pictures'],
    idReader: {
      read(image) {
        // Cast: the simulation uploads nothing but licences.
        const licence = JSON.parse(Buffer.from(image).subarray(JPEG.length).toString()) as Licence;
        const { givenNames, familyName, isLegible } = licence;
        return Promise.resolve({
          documentKind: 'driver_licence' as const,
          issuingState: 'NSW',
          medium: 'physical' as const,
          givenNames,
          familyName,
          dateOfBirth: printed(licence.dateOfBirth),
          expiry: printed(licence.expiry),
          isLegible,
          issues: [],
          confidence: isLegible ? 96 : 20,
        });
      },
    },
  };
}
