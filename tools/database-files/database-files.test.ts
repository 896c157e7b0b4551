import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import type { Database } from '#database/types.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import { FILES } from './files.ts';

test.each(FILES)(
  '%s shows the database as it is; if not, run `npm run database:files`',
  async (file, generate) => {
    const db = await openMigratedDatabase();
    const generated = await generate(db);
    await db.close();
    expect(await readFile(join(import.meta.dirname, '..', '..', file), 'utf8')).toBe(generated);
  },
  120_000,
);

/** Never called: each line below must not compile, or `@ts-expect-error` is an error itself. */
export async function callsThatDoNotCompile(): Promise<void> {
  const client = createClient<Database>('http://localhost', 'key');

  // @ts-expect-error: no such table
  await client.from('studio').select('id');
  // @ts-expect-error: a table of a schema that the API does not expose
  await client.from('booking').select('id');
  // @ts-expect-error: no such function
  await client.rpc('own_reservations');
  // @ts-expect-error: no such argument
  await client.rpc('leave_mailing_list', { subscriber: '' });

  const { data } = await client.from('studios').select('id, price');
  // @ts-expect-error: no such column, so the rows have no fields
  data?.map((row) => row.id);
  const embedded = await client.from('booking_access_codes').select('id, bookings(id, price)').single();
  // @ts-expect-error: no such column of an embedded row
  embedded.data?.bookings.price.toString();
  // @ts-expect-error: no such column in a condition
  await client.from('studios').select('id').eq('price', 59);
  // @ts-expect-error: a value that the column's check constraint does not allow
  await client.from('bookings').select('id').eq('status', 'canceled');
  // @ts-expect-error: no such column in a new row
  await client.from('mailing_list').insert({ email: '', name: '' });
  // @ts-expect-error: a required column is missing in a new row
  await client.from('studios').insert({ name: '' });
  // @ts-expect-error: no such column in a change
  await client.from('profiles').update({ nickname: '' });
  // @ts-expect-error: a wrong type
  await client.from('studios').update({ hourly_rate: '59' });
  // @ts-expect-error: the view is read-only
  await client.from('booking_payments').insert({ state: 'paid' });
}
