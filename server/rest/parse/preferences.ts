import { restErrors } from '../errors.ts';

/** What the `Prefer` header (RFC 7240) asks for, as PostgREST reads it. */
export type Preferences = {
  readonly returning: 'representation' | 'headers-only' | 'minimal' | null;
  readonly count: 'exact' | 'planned' | 'estimated' | null;
  readonly resolution: 'merge' | 'ignore' | null;
  /** `missing=default`: a key missing from a new row means the column's default. */
  readonly defaults: boolean;
  readonly rollback: boolean;
  /** Taken only together with `handling=strict`. */
  readonly maxAffected: number | null;
  /** What was understood, as `Preference-Applied` tells it. */
  readonly applied: string;
};

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  return: ['representation', 'headers-only', 'minimal'],
  count: ['exact', 'planned', 'estimated'],
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  tx: ['commit', 'rollback'],
  handling: ['strict', 'lenient'],
};
const NONE: Preferences = {
  returning: null,
  count: null,
  resolution: null,
  defaults: false,
  rollback: false,
  maxAffected: null,
  applied: '',
};

/** The first word for each preference counts. Throws PGRST122 for an unknown one under `handling=strict`. */
export function readPreferences(header: string | null): Preferences {
  if (header === null || header === '') return NONE;
  const chosen = new Map<string, string>();
  const unknown: string[] = [];
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    const fits = name === 'max-affected' ? /^\d{1,9}$/.test(value) : KNOWN[name]?.includes(value) === true;
    if (!fits) unknown.push(part.trim());
    else if (!chosen.has(name)) chosen.set(name, value);
  }
  const strict = chosen.get('handling') === 'strict';
  if (strict && unknown.length > 0) throw restErrors.preference(unknown);
  const returning = chosen.get('return');
  const count = chosen.get('count');
  const resolution = chosen.get('resolution');
  const most = chosen.get('max-affected');
  return {
    returning:
      returning === 'representation' || returning === 'headers-only' || returning === 'minimal' ? returning : null,
    count: count === 'exact' || count === 'planned' || count === 'estimated' ? count : null,
    resolution: resolution === undefined ? null : resolution === 'merge-duplicates' ? 'merge' : 'ignore',
    defaults: chosen.get('missing') === 'default',
    rollback: chosen.get('tx') === 'rollback',
    maxAffected: strict && most !== undefined ? Number(most) : null,
    applied: [...chosen].map(([name, value]) => `${name}=${value}`).join(', '),
  };
}

/** How the answer is to be written. */
export type Form = {
  readonly type: string;
  readonly format: 'json' | 'csv';
  /** One object instead of a list. */
  readonly single: boolean;
  readonly stripNulls: boolean;
};

const FORMS: readonly (readonly [RegExp, Form])[] = [
  [
    /^application\/vnd\.pgrst\.object(\+json)?(;.*)?$/,
    { type: 'application/vnd.pgrst.object+json', format: 'json', single: true, stripNulls: false },
  ],
  [
    /^application\/vnd\.pgrst\.array(\+json)?(;.*)?$/,
    { type: 'application/vnd.pgrst.array+json', format: 'json', single: false, stripNulls: false },
  ],
  [
    /^(\*\/\*|application\/(json|\*))(;.*)?$/,
    { type: 'application/json', format: 'json', single: false, stripNulls: false },
  ],
  [/^text\/csv(;.*)?$/, { type: 'text/csv', format: 'csv', single: false, stripNulls: false }],
];

/** The first form of the `Accept` header that we write. Throws PGRST107 when there is none. */
export function readForm(header: string | null): Form {
  for (const part of (header ?? '*/*').split(',')) {
    const asked = part.trim().toLowerCase();
    const form = FORMS.find(([pattern]) => pattern.test(asked))?.[1];
    if (!form) continue;
    if (!asked.includes('nulls=stripped') || !form.type.includes('vnd.pgrst')) return form;
    return { ...form, type: `${form.type};nulls=stripped`, stripNulls: true };
  }
  throw restErrors.accept(header ?? '');
}
