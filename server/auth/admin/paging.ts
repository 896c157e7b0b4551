import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import { refuse } from '../core/errors.ts';

const STANDARD = 50;
const MOST = 1_000;

/** `page` (from 1) and `per_page` of the address; an empty text means the standard, as the client sends it. */
export function readPaging(c: Context<Env>): { page: number; perPage: number } {
  const read = (name: string, standard: number): number => {
    const text = c.req.query(name) ?? '';
    if (text === '') return standard;
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < 1) throw refuse.validation(`Bad Pagination Parameters: ${name}`);
    return number;
  };
  return { page: read('page', 1), perPage: Math.min(read('per_page', STANDARD), MOST) };
}

/** Sets the headers the client pages by: it reads the first `=` of each link, so `page` comes first. */
export function sayPages(c: Context<Env>, url: string, of: { page: number; perPage: number; total: number }): void {
  const last = Math.max(1, Math.ceil(of.total / of.perPage));
  const link = (page: number, rel: string): string => `<${url}?page=${page}&per_page=${of.perPage}>; rel="${rel}"`;
  c.header('x-total-count', String(of.total));
  c.header('link', [...(of.page < last ? [link(of.page + 1, 'next')] : []), link(last, 'last')].join(', '));
}
