/** Reads Stripe's bracketed forms: `a[b][0][c]=d`. Numbered keys become lists. */
export type FormValue = string | FormValue[] | { [key: string]: FormValue };

export function parseForm(text: string): Record<string, FormValue> {
  const root: Record<string, FormValue> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = [key.replace(/\[.*$/s, ''), ...[...key.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')];
    let at: Record<string, FormValue> = root;
    path.forEach((part, depth) => {
      if (depth === path.length - 1) {
        at[part] = value;
        return;
      }
      const next = at[part];
      const inner: Record<string, FormValue> =
        next !== undefined && typeof next === 'object' && !Array.isArray(next) ? next : {};
      at[part] = inner;
      at = inner;
    });
  }
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, lists(value)]));
}

function lists(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, FormValue] => [key, lists(inner)]);
  if (entries.length > 0 && entries.every(([key], at) => key === String(at))) return entries.map(([, inner]) => inner);
  return Object.fromEntries(entries);
}

/** A refusal in Stripe's shape. */
export class StripeRefusal extends Error {
  override readonly name = 'StripeRefusal';
  readonly status: number;
  readonly body: Record<string, unknown>;
  constructor(
    status: number,
    body: { type?: string; code?: string; param?: string; message: string; decline_code?: string },
  ) {
    super(body.message);
    this.status = status;
    this.body = { type: 'invalid_request_error', ...body };
  }
}

export const missing = (kind: string, id: string): StripeRefusal =>
  new StripeRefusal(404, { code: 'resource_missing', param: 'id', message: `No such ${kind}: '${id}'` });
export const invalid = (param: string, message: string, code = 'parameter_invalid'): StripeRefusal =>
  new StripeRefusal(400, { code, param, message });

/** Refuses keys nobody knows: `allowed` are dotted paths; `*` stands for one level. */
export function onlyKnown(value: FormValue, allowed: readonly string[], path = ''): void {
  if (typeof value === 'string') {
    const fits = allowed.some((pattern) => {
      const parts = pattern.split('.');
      const given = path.split('.');
      return parts.length === given.length && parts.every((part, at) => part === '*' || part === given[at]);
    });
    if (!fits)
      throw new StripeRefusal(400, {
        code: 'parameter_unknown',
        param: path,
        message: `Received unknown parameter: ${path}`,
      });
    return;
  }
  for (const [key, inner] of Object.entries(value)) onlyKnown(inner, allowed, path === '' ? key : `${path}.${key}`);
}
