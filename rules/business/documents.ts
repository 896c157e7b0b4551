/** Formats the number of a tax invoice or adjustment note: 7 → "000007". */
export function documentNumber(number: number): string {
  return String(number).padStart(6, '0');
}

/** Computes the GST in a price that includes it: one eleventh in whole cents, half a cent rounded up. */
export function gstCents(totalCents: number): number {
  return Math.floor((totalCents * 2 + 11) / 22);
}

/** Formats an ABN as people write it: "51 824 753 556". */
export function formatAbn(abn: string): string {
  const digits = abn.replace(/\D/g, '');
  return digits.length === 11
    ? `${digits.slice(0, 2)} ${digits.slice(2, 5)} ${digits.slice(5, 8)} ${digits.slice(8)}`
    : abn;
}
