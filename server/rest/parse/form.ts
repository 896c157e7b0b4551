import { LRUCache } from 'lru-cache';
import { restErrors } from '../core/errors.ts';

/** The format of an answer. */
export type Form = {
  /** The answer's Content-Type. */
  readonly type: string;
  readonly format: 'json' | 'csv';
  /** Whether the answer is one object instead of a list. */
  readonly single: boolean;
  readonly stripNulls: boolean;
  /** The format of the query plan to return instead of the result; null to return the result. */
  readonly plan: PlanForm | null;
  /** All media types that the request accepts, for functions that return their own. */
  readonly accepts: readonly string[];
};
export type PlanForm = { readonly type: string; readonly json: boolean; readonly options: readonly PlanOption[] };
const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const;
type PlanOption = (typeof PLAN_OPTIONS)[number];

type Plain = Omit<Form, 'plan' | 'accepts'>;
const JSON_LIST: Plain = { type: 'application/json', format: 'json', single: false, stripNulls: false };
const FORMS: readonly (readonly [RegExp, Plain])[] = [
  [
    /^application\/vnd\.pgrst\.object(\+json)?(;.*)?$/,
    { type: 'application/vnd.pgrst.object+json', format: 'json', single: true, stripNulls: false },
  ],
  [/^application\/vnd\.pgrst\.array(\+json)?(;.*)?$/, { ...JSON_LIST, type: 'application/vnd.pgrst.array+json' }],
  [/^(\*\/\*|application\/(json|\*))(;.*)?$/, JSON_LIST],
  [/^text\/csv(;.*)?$/, { type: 'text/csv', format: 'csv', single: false, stripNulls: false }],
];
const PLAN = /^application\/vnd\.pgrst\.plan(?:\+(json|text))?(;.*)?$/;

/** Caches parsed `Accept` headers, because clients send the same few of them repeatedly. */
const cachedForms = new LRUCache<string, Form>({ max: 200 });

/** Returns the first type of the `Accept` header that the server, or the called function, can write. Throws PGRST107 if there is none. */
export function readForm(header: string | null, options: { plans: boolean; call: boolean }): Form {
  const key = `${options.plans} ${options.call} ${header ?? '*/*'}`;
  const found = cachedForms.get(key);
  if (found) return found;
  const form = chooseForm(header, options);
  cachedForms.set(key, form);
  return form;
}

function chooseForm(header: string | null, options: { plans: boolean; call: boolean }): Form {
  const requested = splitTypes(header ?? '*/*');
  const accepts = requested.map((type) => type.split(';', 1)[0]?.trim() ?? '');
  for (const type of requested) {
    const plan = options.plans ? readPlan(type) : null;
    const plain = plan ? plan.of : readPlain(type);
    if (plain) return { ...plain, plan: plan?.plan ?? null, accepts };
  }
  if (options.call && accepts.every((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type) && !PLAN.test(type)))
    return { ...JSON_LIST, type: '', plan: null, accepts };
  throw restErrors.accept(header ?? '');
}

function readPlain(type: string): Plain | null {
  const form = FORMS.find(([pattern]) => pattern.test(type))?.[1];
  if (!form) return null;
  if (!type.includes('nulls=stripped') || !form.type.includes('vnd.pgrst')) return form;
  return { ...form, type: `${form.type};nulls=stripped`, stripNulls: true };
}

/** Reads `application/vnd.pgrst.plan+json; for="application/json"; options=analyze|buffers;`. */
function readPlan(type: string): { plan: PlanForm; of: Plain } | null {
  const found = PLAN.exec(type);
  if (!found) return null;
  const of = readPlain(/for="([^"]*)"/.exec(type)?.[1] ?? 'application/json');
  if (!of) return null;
  const words = /options=([\w|]*)/.exec(type)?.[1]?.split('|') ?? [];
  const options = PLAN_OPTIONS.filter((option) => words.includes(option));
  const json = found[1] === 'json';
  const suffix = options.length === 0 ? '' : `; options=${options.join('|')}`;
  return {
    of,
    plan: { type: `application/vnd.pgrst.plan+${json ? 'json' : 'text'}; for="${of.type}"${suffix}`, json, options },
  };
}

/** Splits at commas outside quotes. */
function splitTypes(header: string): string[] {
  return (header.match(/(?:"[^"]*"|[^,"])+/g) ?? [])
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
}
