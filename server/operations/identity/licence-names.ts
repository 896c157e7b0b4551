import type { LicenceReading } from '#server/providers/ports.ts';

export type LicenceNames = {
  readonly fullName: string | null;
  readonly firstName: string | null;
  readonly middleName: string | null;
  readonly lastName: string | null;
};

/** Splits the names on a licence into the columns of `id_verifications`. */
export function splitNames({
  givenNames,
  familyName,
}: Pick<LicenceReading, 'givenNames' | 'familyName'>): LicenceNames {
  const given = givenNames?.split(/\s+/) ?? [];
  return {
    fullName: [givenNames, familyName].filter(Boolean).join(' ') || null,
    firstName: given[0] ?? null,
    middleName: given.slice(1).join(' ') || null,
    lastName: familyName,
  };
}
