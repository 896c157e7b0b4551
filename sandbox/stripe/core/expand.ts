import type Stripe from 'stripe';
import { type FormMap, listAt } from './form.ts';
import { byId, type Ledger } from './ledger.ts';
import { invalid } from './refusal.ts';

const DEPTH_MAX = 4;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Reads the paths of `expand[]`. */
export function parseExpand(form: FormMap): string[] {
  return listAt(form['expand']).map((path, index) => {
    if (typeof path !== 'string' || path === '') throw invalid(`expand[${index}]`, 'Invalid string');
    if (path.split('.').length > DEPTH_MAX)
      throw invalid('expand', `You cannot expand more than ${DEPTH_MAX} levels of a property.`);
    return path;
  });
}

/** Copies an object and replaces the ids at these paths with their objects. */
export function expanded(ledger: Ledger, object: object, paths: readonly string[]): object {
  const copy = structuredClone(object);
  for (const path of paths) if (isFields(copy)) replace(ledger, copy, path.split('.'), path);
  return copy;
}

function replace(ledger: Ledger, at: Fields, [name = '', ...rest]: readonly string[], path: string): void {
  const included = include(ledger, at, name);
  if (included !== null) at[name] = included;
  let value = at[name];
  if (value === undefined) throw invalid('expand', `This property cannot be expanded (${path}).`, 'property_unknown');
  if (value === null) return;
  if (typeof value === 'string') {
    const found = lookUp(ledger, value);
    if (!found) throw invalid('expand', `This property cannot be expanded (${path}).`, 'property_unknown');
    value = structuredClone(found);
    at[name] = value;
  }
  if (rest.length === 0) return;
  for (const item of Array.isArray(value) ? value : [value]) if (isFields(item)) replace(ledger, item, rest, path);
}

function lookUp(ledger: Ledger, id: string): object | undefined {
  return (
    byId<object>(ledger.intents, id) ??
    byId(ledger.charges, id) ??
    byId(ledger.refunds, id) ??
    byId(ledger.disputes, id) ??
    byId(ledger.balance, id) ??
    byId(ledger.payouts, id) ??
    byId(ledger.customers, id) ??
    byId(ledger.cards, id)?.method
  );
}

/** Returns a list that an object contains only if it is expanded, or null for any other name. */
function include(ledger: Ledger, at: Fields, name: string): Stripe.ApiList<object> | null {
  const list = (data: object[], url: string): Stripe.ApiList<object> => ({
    object: 'list',
    data,
    has_more: false,
    url,
  });
  if (at['object'] === 'checkout.session' && name === 'line_items') {
    const id = String(at['id']);
    return list(structuredClone(ledger.checkouts[id]?.items ?? []), `/v1/checkout/sessions/${id}/line_items`);
  }
  if (at['object'] === 'charge' && name === 'refunds') {
    const refunds = Object.values(ledger.refunds).filter((refund) => refund.charge === at['id']);
    return list(structuredClone(refunds), `/v1/charges/${String(at['id'])}/refunds`);
  }
  return null;
}
