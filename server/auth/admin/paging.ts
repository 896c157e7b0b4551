import { refuse } from '../core/errors.ts';
import type { Call } from '../core/request.ts';

const PER_PAGE_DEFAULT = 50;
const PER_PAGE_MAX = 1_000;

type Paging = { readonly page: number; readonly perPage: number };

/** Reads `page` (from 1) and `per_page`. An empty value means the default, because supabase-js sends empty values. */
export function readPaging(c: Call): Paging {
  const read = (name: string, fallback: number): number => {
    const text = c.req.query(name) ?? '';
    if (text === '') return fallback;
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < 1) throw refuse.validation(`Bad Pagination Parameters: ${name}`);
    return number;
  };
  return { page: read('page', 1), perPage: Math.min(read('per_page', PER_PAGE_DEFAULT), PER_PAGE_MAX) };
}

/** Sets the paging headers. supabase-js reads the text after the first `=` of each link, so `page` comes first. */
export function setPageHeaders(c: Call, url: string, of: Paging & { readonly total: number }): void {
  const last = Math.max(1, Math.ceil(of.total / of.perPage));
  const link = (page: number, rel: string): string => `<${url}?page=${page}&per_page=${of.perPage}>; rel="${rel}"`;
  c.header('x-total-count', String(of.total));
  c.header('link', [...(of.page < last ? [link(of.page + 1, 'next')] : []), link(last, 'last')].join(', '));
}
