import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { productQueries } from './product-queries.ts';

/** Calls that write, and reads of one row of settings. */
const NOT_MEASURED = new Set(
  `rpc/add_booking_note rpc/add_customer_note rpc/close_job rpc/keep_blocked_booking rpc/leave_mailing_list rpc/make_gift_codes rpc/mark_no_show rpc/remove_from_mailing_list rpc/retry_job
  rpc/send_mail_again rpc/set_gift_batch_active mailing_list scheduled_emails
  rpc/developer_pages_open rpc/staff_rights rpc/second_factor_rules rpc/site_settings rpc/site_texts`.split(/\s+/),
);

/** Returns what the pages of the product call in the database: `rpc/name` for a function, the name for a table. */
function called(): Set<string> {
  const files = readdirSync('web', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  );
  const calls = files.flatMap((file) => [
    ...readFileSync(`web/${file}`, 'utf8').matchAll(/\.(rpc|from)\(\s*'([a-z_]+)'/g),
  ]);
  return new Set(calls.map(([, kind, name]) => (kind === 'rpc' ? `rpc/${name}` : `${name}`)));
}

test('each function and table that a page reads is in the list of queries, unless it writes or reads one row of settings', () => {
  const queries = productQueries({ customerId: 'c', studioId: 's', now: new Date() });
  const listed = new Set(queries.map(({ path }) => path.replace(/\?.*/, '')));
  const found = called();
  expect(found.size).toBeGreaterThan(60);
  expect([...found].filter((name) => !listed.has(name) && !NOT_MEASURED.has(name)).toSorted()).toEqual([]);
  expect([...NOT_MEASURED].filter((name) => listed.has(name) || !found.has(name))).toEqual([]);
});

test('each query names a file that calls it', () => {
  const queries = productQueries({ customerId: 'c', studioId: 's', now: new Date() });
  const wrong = queries.filter(({ file, path }) => {
    const name = path.replace(/\?.*/, '').replace('rpc/', '');
    return !readFileSync(file, 'utf8').includes(`'${name}'`);
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
