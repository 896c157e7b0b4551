import { type FormMap, parseInteger, mapAt, onlyKnown, parseText } from './form.ts';
import { invalid, missing } from './refusal.ts';

const LIST_FIELDS = [
  'limit',
  'starting_after',
  'ending_before',
  'created',
  'created.gt',
  'created.gte',
  'created.lt',
  'created.lte',
  'expand.*',
];

/** Returns one page of a list, newest first (docs.stripe.com/api/pagination). */
export function getPage<T extends { id: string; created: number }>(
  all: readonly T[],
  query: FormMap,
  list: { path: string; kind: string; filters?: readonly string[] },
): { object: 'list'; data: T[]; has_more: boolean; url: string } {
  onlyKnown(query, [...LIST_FIELDS, ...(list.filters ?? [])]);
  const limit = parseInteger(query['limit'], 'limit', 1) ?? 10;
  if (limit > 100) throw invalid('limit', 'This value must be less than or equal to 100 (it currently is higher).');
  const after = parseText(query['starting_after']);
  const before = parseText(query['ending_before']);
  if (after !== null && before !== null) throw invalid('ending_before', 'Give starting_after or ending_before.');
  const within = madeWithin(query);
  // Within the same second, the order of insertion decides.
  const sorted = all.toReversed().toSorted((a, b) => b.created - a.created);
  const find = (id: string): number => {
    const at = sorted.findIndex((item) => item.id === id);
    if (at < 0) throw missing(list.kind, id, after === null ? 'ending_before' : 'starting_after');
    return at;
  };
  const rest = (after === null ? sorted : sorted.slice(find(after) + 1)).filter((item) => within(item.created));
  const answer = (data: T[], more: boolean): { object: 'list'; data: T[]; has_more: boolean; url: string } => ({
    object: 'list',
    data,
    has_more: more,
    url: list.path,
  });
  if (before === null) return answer(rest.slice(0, limit), rest.length > limit);
  const newer = sorted.slice(0, find(before)).filter((item) => within(item.created));
  return answer(newer.slice(-limit), newer.length > limit);
}

function madeWithin(query: FormMap): (created: number) => boolean {
  const exact = typeof query['created'] === 'string' ? parseInteger(query['created'], 'created') : null;
  const bounds = mapAt(query['created']);
  const bound = (name: string): number | null => parseInteger(bounds[name], `created[${name}]`);
  const [gt, gte, lt, lte] = [bound('gt'), bound('gte'), bound('lt'), bound('lte')];
  return (created) =>
    (exact === null || created === exact) &&
    (gt === null || created > gt) &&
    (gte === null || created >= gte) &&
    (lt === null || created < lt) &&
    (lte === null || created <= lte);
}
