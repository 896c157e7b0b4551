/*
 * Characters that a reader cannot see and that change what is read: control characters, those that turn the direction of writing (a name with
 * one can look like another), line and paragraph separators, and other invisible formats. Joiners stay allowed: emoji and several scripts need
 * them. The database has the same list (`private.is_plain`).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- finds control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const BREAKS = /[\t\n\r]/g;

/** The message for a text that is not plain. */
export const NOT_PLAIN = 'Please use only characters that can be seen.';

/** Whether a text of one line has no hidden characters. */
export function isPlain(text: string): boolean {
  return !HIDDEN.test(text);
}

/** The same for a text of several lines, which may have tabs. */
export function isPlainLines(text: string): boolean {
  return isPlain(text.replaceAll(BREAKS, ' '));
}

/** Returns the path of the first text with hidden characters in a JSON value, names of members included; null if there is none. */
export function findHidden(value: unknown, path: readonly string[] = []): readonly string[] | null {
  if (typeof value === 'string') return isPlainLines(value) ? null : path;
  if (value === null || typeof value !== 'object') return null;
  for (const [name, inner] of Object.entries(value)) {
    if (!isPlainLines(name)) return path;
    const found = findHidden(inner, [...path, name]);
    if (found !== null) return found;
  }
  return null;
}
