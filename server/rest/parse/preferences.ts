import { restErrors } from '../core/errors.ts';

/** The `Prefer` header (RFC 7240) as PostgREST reads it. */
export type Preferences = {
  readonly returning: 'representation' | 'headers-only' | 'minimal' | null;
  readonly count: 'exact' | 'planned' | 'estimated' | null;
  readonly resolution: 'merge' | 'ignore' | null;
  /** `missing=default`: a key that a new row lacks means the column's default. */
  readonly defaults: boolean;
  /** `tx`, which only applies if the settings allow it. */
  readonly tx: 'commit' | 'rollback' | null;
  /** The time zone for reading and writing times. */
  readonly timezone: string | null;
  /** Only applies with `handling=strict`. */
  readonly maxAffected: number | null;
  /** The recognized preferences by name, for `Preference-Applied`. */
  readonly applied: ReadonlyMap<string, string>;
};

const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['return', ['representation', 'headers-only', 'minimal']],
  ['count', ['exact', 'planned', 'estimated']],
  ['resolution', ['merge-duplicates', 'ignore-duplicates']],
  ['missing', ['default', 'null']],
  ['tx', ['commit', 'rollback']],
  ['handling', ['strict', 'lenient']],
]);
const NONE: Preferences = {
  returning: null,
  count: null,
  resolution: null,
  defaults: false,
  tx: null,
  timezone: null,
  maxAffected: null,
  applied: new Map(),
};

/**
 * Reads preferences; the first of each name is used. `timeZones`: the time zones that the database supports. Under `handling=strict` an
 * unknown preference or value throws PGRST122; otherwise it is ignored.
 */
export function readPreferences(header: string | null, timeZones: ReadonlySet<string> = new Set()): Preferences {
  if (header === null || header === '') return NONE;
  const chosen = new Map<string, string>();
  const unknown: string[] = [];
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    const fits = isValid(name, value, timeZones);
    if (!fits) unknown.push(part.trim());
    else if (!chosen.has(name)) chosen.set(name, value);
  }
  const strict = chosen.get('handling') === 'strict';
  if (strict && unknown.length > 0) throw restErrors.preference(unknown);
  const returning = chosen.get('return');
  const count = chosen.get('count');
  const resolution = chosen.get('resolution');
  const most = chosen.get('max-affected');
  if (!strict) chosen.delete('max-affected');
  const tx = chosen.get('tx');
  return {
    returning:
      returning === 'representation' || returning === 'headers-only' || returning === 'minimal' ? returning : null,
    count: count === 'exact' || count === 'planned' || count === 'estimated' ? count : null,
    resolution: resolution === undefined ? null : resolution === 'merge-duplicates' ? 'merge' : 'ignore',
    defaults: chosen.get('missing') === 'default',
    tx: tx === 'commit' || tx === 'rollback' ? tx : null,
    timezone: chosen.get('timezone') ?? null,
    maxAffected: strict && most !== undefined ? Number(most) : null,
    applied: chosen,
  };
}

function isValid(name: string, value: string, timeZones: ReadonlySet<string>): boolean {
  if (name === 'max-affected') return /^\d{1,9}$/.test(value);
  if (name === 'timezone') return timeZones.has(value);
  return VALUES.get(name)?.includes(value) === true;
}
