/** Lookups for the test of lookups.ts: it must report those in `refused` and accept the others. */
export function lookUp(words: Readonly<Record<string, string>>, name: string, list: readonly string[]): unknown[] {
  const refused = [
    words[name],
    words[`a${name}`],
    name in words,
    Object.hasOwn(words, name) || words[name] === undefined,
  ];
  const chosen: 'first' | 'second' = list.length > 1 ? 'first' : 'second';
  const accepted: unknown[] = [words['first'], words[chosen], list[0], Object.hasOwn(words, name) ? words[name] : null];
  for (const key in words) accepted.push(words[key]);
  return [...refused, ...accepted, Object.hasOwn(words, name) && words[name] === 'x'];
}
