import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows } from '#tests/support/rows.ts';
import {
  CHANNEL_STAYS,
  KEPT_UNTIL,
  NUMBER_STAYS,
  OF_NO_CUSTOMER,
  SAYS_NOTHING,
  WITHOUT_ROW,
} from './deletion-decisions.ts';
import { EMAIL, findWords, liveRichly, NOW, PERSON, PHONE, readColumns } from './personal-life.ts';

/**
 * Proves that a deleted account is gone. The person has a row in every table of the catalogue, with a marker in every column that can hold
 * words. After the deletion every column of every table is searched. tests/api/account-ends.test.ts covers the bytes of files.
 */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const deleteAccount = ({ value }: Rows): Promise<unknown> =>
  value('select private.delete_account($1::uuid, $2::timestamptz)', [PERSON, NOW]);
const deleteByService = ({ value }: Rows, softly: boolean): Promise<unknown> =>
  value('select private.delete_account_by_service($1::uuid, $2, $3::timestamptz)', [PERSON, softly, NOW]);
/** The columns that keep the id when the service deletes the account: the person is then not the actor. */
const BY_SERVICE = NUMBER_STAYS.filter((column) => column !== 'public.audit_logs.actor');
/** The ways in which an account ends, with the columns that keep its id. */
const WAYS: readonly (readonly [way: string, end: (rows: Rows) => Promise<unknown>, numbered: readonly string[]])[] = [
  ['the person', deleteAccount, NUMBER_STAYS],
  ['the service key', (rows) => deleteByService(rows, false), BY_SERVICE],
  ['the service key, softly', (rows) => deleteByService(rows, true), [...BY_SERVICE, 'auth.users.id']],
];
const getColumns = (decisions: readonly (readonly [string[], ...string[]])[]): string[] =>
  decisions.flatMap(([columns]) => columns);
async function columnsWith(rows: Rows, words: readonly string[]): Promise<string[]> {
  const columns = (await findWords(rows, words)).map(([column]) => column);
  return [...new Set(columns)].toSorted();
}

test('every table has a row of the person, or a reason why it has none', () =>
  database.rolledBack(async (rows) => {
    await liveRichly(rows);
    const empty: string[] = [];
    for (const table of new Set((await readColumns(rows)).map((column) => column.table)))
      if ((await rows.value(`select exists (select from ${table})`)) === false) empty.push(table);
    const named = WITHOUT_ROW.flatMap(([tables]) => tables);
    expect(empty.filter((table) => !named.includes(table) && !/^realtime\.messages_\d/.test(table))).toEqual([]);
  }));

test('each marker stands in its own column before the deletion', () =>
  database.rolledBack(async (rows) => {
    const markers = await liveRichly(rows);
    const found = new Set((await findWords(rows, [...markers.keys()])).map(([column, word]) => `${column} ${word}`));
    const columns = [...markers].filter(([, what]) => /^[a-z]+\.\w+\.\w+$/.test(what));
    expect(columns.length).toBeGreaterThan(130);
    expect(columns.filter(([word, column]) => !found.has(`${column} ${word}`))).toEqual([]);
  }));

test.each(WAYS)(
  'after the deletion by %s only the columns with a decision hold a word of the person’s rows',
  (_, end) =>
    database.rolledBack(async (rows) => {
      const markers = await liveRichly(rows);
      expect(await end(rows)).toMatchObject({ outcome: 'deleted', kept: 1, keptUntil: '2032-06-30' });
      const decided = [...getColumns(KEPT_UNTIL), ...getColumns(SAYS_NOTHING), ...getColumns(OF_NO_CUSTOMER)];
      expect(await columnsWith(rows, [...markers.keys()])).toEqual(decided.toSorted());
      // Jobs and the deletion queue contain only what they will delete.
      const queued = (await findWords(rows, [...markers.keys()])).filter(([column]) =>
        /outbox|deletion_queue/.test(column),
      );
      expect(new Set(queued.map(([, word]) => markers.get(word)))).toEqual(
        new Set([
          'private.provider_customer.customer_id',
          'public.id_verifications.image_path',
          'storage.objects.storage_key',
          'storage.upload_parts.storage_key',
        ]),
      );
    }),
);

test.each(WAYS)(
  'the address and the phone number are nowhere after the deletion by %s, and the number of the account only where it was decided',
  (_, end, kept) =>
    database.rolledBack(async (rows) => {
      await liveRichly(rows);
      await end(rows);
      expect(await columnsWith(rows, [EMAIL, PHONE])).toEqual([]);
      const numbered = await columnsWith(rows, [PERSON]);
      expect(numbered.filter((column) => !CHANNEL_STAYS.test(column))).toEqual(kept.toSorted());
    }),
);

test('the name on records of a sale goes when tax law no longer needs it', () =>
  database.rolledBack(async (rows) => {
    const markers = await liveRichly(rows);
    await deleteAccount(rows);
    const named = [...markers].filter(([, column]) => /booking\.guest_name|document\.content/.test(column));
    const words = named.map(([word]) => word);
    const forget = (at: string) => rows.query('select private.forget_buyers($1::timestamptz)', [at]);
    await forget('2032-06-30T12:00:00+10:00');
    expect(await columnsWith(rows, words)).toEqual(['private.booking.guest_name', 'private.document.content']);
    await forget('2032-07-01T12:00:00+10:00');
    expect(await columnsWith(rows, words)).toEqual([]);
  }));

test('a new column whose words stay is noticed', () =>
  database.rolledBack(async (rows) => {
    await rows.query('alter table private.booking add column nickname text');
    const markers = await liveRichly(rows);
    await deleteAccount(rows);
    expect(await columnsWith(rows, [...markers.keys()])).toContain('private.booking.nickname');
  }));
