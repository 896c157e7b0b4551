/** Reads `Studio A=lock,Studio B=lock` into pairs. `malformed`: the entries that are not pairs. */
export function readLockMap(text: string): {
  pairs: readonly (readonly [studio: string, lock: string])[];
  malformed: string[];
} {
  const pairs: [string, string][] = [];
  const malformed: string[] = [];
  for (const part of text.split(',')) {
    const [studio = '', lock = '', ...more] = part.split('=').map((side) => side.trim());
    if (studio !== '' && lock !== '' && more.length === 0) pairs.push([studio, lock]);
    else if (part.trim() !== '') malformed.push(part.trim());
  }
  return { pairs, malformed };
}
