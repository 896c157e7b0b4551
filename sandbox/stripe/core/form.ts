import { invalid, StripeRefusal } from './refusal.ts';

/** A value of a form with Stripe's bracketed keys (`a[b][0][c]=d`): a text, a list or a map. */
export type FormValue = string | FormValue[] | { [key: string]: FormValue };
export type FormMap = { [key: string]: FormValue };

type Branch = Map<string, Branch | string>;

/** Parses a form body or query. Numbered and empty brackets become lists. Refuses a key that is both a value and a map. */
export function parseForm(text: string): FormMap {
  const root: Branch = new Map();
  for (const [key, value] of new URLSearchParams(text)) {
    const path = parsePath(key);
    let at = root;
    path.forEach((part, depth) => {
      const name = part === '' ? String(at.size) : part;
      const existing = at.get(name);
      if (depth === path.length - 1) {
        if (existing instanceof Map) throw invalid(key, `Invalid object: ${key}`);
        at.set(name, value);
        return;
      }
      if (typeof existing === 'string') throw invalid(key, `Invalid object: ${key}`);
      const inner: Branch = existing ?? new Map();
      at.set(name, inner);
      at = inner;
    });
  }
  return toMap(root);
}

function parsePath(key: string): string[] {
  if (!/^[^[\]]+(\[[^[\]]*\])*$/.test(key)) throw invalid(key, `Invalid parameter name: ${key}`);
  return [key.replace(/\[.*$/s, ''), ...[...key.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')];
}

const toMap = (branch: Branch): FormMap =>
  Object.fromEntries([...branch].map(([key, value]) => [key, typeof value === 'string' ? value : toValue(value)]));

function toValue(branch: Branch): FormValue {
  const keys = [...branch.keys()];
  if (keys.every((key, index) => key === String(index)))
    return [...branch.values()].map((value) => (typeof value === 'string' ? value : toValue(value)));
  return toMap(branch);
}

/** Refuses unknown keys. `allowed` has dotted paths; `*` stands for one level. */
export function onlyKnown(form: FormMap, allowed: readonly string[]): void {
  const patterns = allowed.map((pattern) => pattern.split('.'));
  const visit = (value: FormValue, path: readonly string[]): void => {
    if (typeof value !== 'string') {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
      return;
    }
    const fits = (pattern: readonly string[]): boolean =>
      pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index]);
    if (patterns.some(fits)) return;
    const name = bracketed(path);
    throw new StripeRefusal(400, {
      code: 'parameter_unknown',
      param: name,
      message: `Received unknown parameter: ${name}`,
    });
  };
  for (const [key, value] of Object.entries(form)) visit(value, [key]);
}

/** Formats a path: `['line_items', '0', 'quantity']` → `line_items[0][quantity]`. */
const bracketed = ([first = '', ...rest]: readonly string[]): string =>
  first + rest.map((part) => `[${part}]`).join('');

/** Reads a text field. Returns null if it is absent or empty. */
export const parseText = (value: FormValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
export const mapAt = (value: FormValue | undefined): FormMap =>
  value !== undefined && typeof value === 'object' && !Array.isArray(value) ? value : {};
export const listAt = (value: FormValue | undefined): FormValue[] => (Array.isArray(value) ? value : []);

/** Reads an integer field with a minimum of `least`. Returns null if the field is absent. */
export function parseInteger(value: FormValue | undefined, param: string, least = 0): number | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^-?\d{1,12}$/.test(value))
    throw invalid(param, `Invalid integer: ${JSON.stringify(value)}`, 'parameter_invalid_integer');
  const number = Number(value);
  if (number < least)
    throw invalid(param, `This value must be greater than or equal to ${least}.`, 'parameter_invalid_integer');
  return number;
}
export function parseBoolean(value: FormValue | undefined, param: string): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw invalid(param, `Invalid boolean: ${JSON.stringify(value)}`);
}
/** Reads a field that must be one of the given values. Returns null if the field is absent. */
export function parseWord<const T extends string>(
  value: FormValue | undefined,
  param: string,
  words: readonly T[],
): T | null {
  if (value === undefined) return null;
  const found = words.find((word) => word === value);
  if (found === undefined) throw invalid(param, `Invalid ${param}: must be one of ${words.join(', ')}`);
  return found;
}
export function parseUrl(value: FormValue | undefined, param: string): string | null {
  const text = parseText(value);
  if (text === null) return null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw invalid(param, 'Not a valid URL', 'url_invalid');
  return text;
}
export function parseEmail(value: FormValue | undefined, param: string): string | null {
  const text = parseText(value);
  if (text !== null && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
    throw invalid(param, `Invalid email address: ${text}`, 'email_invalid');
  return text;
}
/** Reads metadata: at most 50 keys of 40 characters, with values of 500 characters. */
export function parseMetadata(value: FormValue | undefined, param = 'metadata'): Record<string, string> {
  const entries = Object.entries(mapAt(value)).map(([key, inner]): [string, string] => [key, parseText(inner) ?? '']);
  if (entries.length > 50) throw invalid(param, 'Metadata can have up to 50 keys.');
  for (const [key, inner] of entries) {
    if (key.length > 40) throw invalid(param, `Metadata keys can have up to 40 characters: ${key}`);
    if (inner.length > 500) throw invalid(`${param}[${key}]`, 'Metadata values can have up to 500 characters.');
  }
  return Object.fromEntries(entries.filter(([, inner]) => inner !== ''));
}
