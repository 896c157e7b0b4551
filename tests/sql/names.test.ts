import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matchNames, NAME_RESTORE_DAYS } from '#rules/identity.ts';
import { addPerson, databases } from '#tests/operations/booking-system.ts';

const NAMES = [
  ['Alex', 'CITIZEN'],
  ['Alex James', 'Citizen'],
  ['José María', "O'Brien"],
  ['Søren', 'Łukasz-Đorđević'],
  ['Anne-Marie', 'de la Cruz'],
  ['ʼÀlbert', 'Straße'],
  ['Mary', 'Mac Donald'],
  ['', 'Sukarno'],
  [null, 'Œuvre'],
  ['Zoë', null],
  ['', ''],
] as const;
const ACCOUNTS = [
  'alex citizen',
  'Citizen Alex',
  'Alex J Citizen',
  'Alex James Citizen',
  'James Citizen',
  'jose maria obrien',
  'José O’Brien',
  'Soren Lukasz Dordevic',
  'Annemarie Delacruz',
  'Anne Marie de la Cruz',
  'Anne de la Cruz',
  'Albert Strasse',
  'Mary MacDonald',
  'mary mac  donald ',
  'Sukarno',
  'Oeuvre',
  'ZOE',
  'Zoë Smith',
  'Sam Stranger',
  '...',
  '',
];

describe.each(databases)('names of verified IDs, on $name', (engine) => {
  let db: Awaited<ReturnType<typeof engine.open>>['db'];
  let close: () => Promise<void>;
  beforeAll(async () => {
    const opened = await engine.open();
    [db, close] = [opened.db, opened.close];
  }, 180_000);
  afterAll(() => close());

  test('the database and rules/identity.ts match names alike, for every pair of an ID and an account', async () => {
    const pairs = NAMES.flatMap(([given, family]) => ACCOUNTS.map((account) => ({ given, family, account })));
    const { rows } = await db.query<{ matches: boolean }>(
      `select private.names_match(x.pair ->> 'given', x.pair ->> 'family', x.pair ->> 'account') as matches
       from jsonb_array_elements($1::jsonb) with ordinality x (pair, place) order by x.place`,
      [JSON.stringify(pairs)],
    );
    const ours = pairs.map(({ given, family, account }) => matchNames({ given, family }, account).status === 'match');
    expect(pairs.map((pair, index) => [pair, rows[index]?.matches])).toEqual(
      pairs.map((pair, index) => [pair, ours[index]]),
    );
    expect(new Set(ours).size).toBe(2);
  });

  /** Adds a customer who was verified under the account name "Alex Citizen" with an ID that names Alex James Citizen, born in 1998. */
  async function verified(expiry = `now() + interval '1 year'`): Promise<string> {
    const id = await addPerson(db);
    await db.query(`delete from public.id_verifications where user_id = $1::uuid`, [id]);
    await db.query(
      `update public.profiles set full_name = 'Alex Citizen', date_of_birth = '1998-04-03' where user_id = $1::uuid`,
      [id],
    );
    await db.query(
      `insert into public.id_verifications (user_id, source, verification_status, failure_reasons, verified_at, expires_at, extracted_first_name,
         extracted_middle_name, extracted_last_name, extracted_dob, profile_dob)
       values ($1::uuid, 'photo', 'verified', '{}', now(), ${expiry}, 'Alex', 'James', 'CITIZEN', '1998-04-03', '1998-04-03')`,
      [id],
    );
    return id;
  }
  const set = (id: string, change: string): Promise<unknown> =>
    db.query(`update public.profiles set ${change} where user_id = $1::uuid`, [id]);
  const rename = (id: string, name: string): Promise<unknown> => set(id, `full_name = '${name}'`);
  const status = async (id: string): Promise<string | undefined> =>
    (
      await db.queryRow<{ status: string }>(
        'select verification_status as status from public.id_verifications where user_id = $1::uuid',
        [id],
      )
    )?.status;

  test('a name that is on the ID keeps the verification, another one ends it, and going back restores it', async () => {
    const id = await verified();
    const version = () => db.queryRow('select xmin::text from public.id_verifications where user_id = $1::uuid', [id]);
    const before = await version();
    await rename(id, 'Citizen Alex James');
    expect(await version()).toEqual(before);
    for (const [name, now] of [
      ['ALEX James citizen', 'verified'],
      ['Sam Stranger', 'superseded'],
      ['Sam Other', 'superseded'],
      ['Citizen, Alex', 'verified'],
    ] as const) {
      await rename(id, name);
      expect([name, await status(id)]).toEqual([name, now]);
    }
  });

  test('a name that staff have accepted although the ID has another one is restored too, but does not stay under a third', async () => {
    const id = await verified();
    await db.query(`update public.id_verifications set extracted_first_name = 'Alexander' where user_id = $1::uuid`, [
      id,
    ]);
    await rename(id, 'Lex Citizen');
    expect(await status(id)).toBe('superseded');
    await rename(id, ' alex citizen');
    expect(await status(id)).toBe('verified');
  });

  test.each([
    [
      `after ${NAME_RESTORE_DAYS} days`,
      `update private.verified_name set ended_at = now() - interval '${NAME_RESTORE_DAYS} days 1 second'`,
    ],
    ['when it has expired', `update public.id_verifications set expires_at = now() - interval '1 second'`],
    ['when staff have withdrawn it', `update public.id_verifications set verification_status = 'failed'`],
  ])('going back to the name restores nothing %s', async (_when, change) => {
    const id = await verified();
    await rename(id, 'Sam Stranger');
    await db.query(change);
    const before = await status(id);
    await rename(id, 'Alex Citizen');
    expect(await status(id)).toBe(before);
    expect(before).not.toBe('verified');
  });

  test('a changed birth date ends the verification, and no name restores it', async () => {
    const id = await verified();
    await set(id, `date_of_birth = '1999-01-01'`);
    expect(await status(id)).toBe('superseded');
    await set(id, `date_of_birth = '1998-04-03'`);
    await rename(id, 'Alex James Citizen');
    expect(await status(id)).toBe('superseded');
    const other = await verified();
    await rename(other, 'Sam Stranger');
    await set(other, `date_of_birth = '1999-01-01'`);
    await rename(other, 'Alex Citizen');
    expect(await status(other)).toBe('superseded');
  });

  test('going back to the name restores the verification until the last second of the days that the form names', async () => {
    const id = await verified();
    await rename(id, 'Sam Stranger');
    await db.query(
      `update private.verified_name set ended_at = now() - interval '${NAME_RESTORE_DAYS} days' + interval '1 minute' where verification_id in
         (select v.id from public.id_verifications v where v.user_id = $1::uuid)`,
      [id],
    );
    await rename(id, 'Alex Citizen');
    expect(await status(id)).toBe('verified');
  });

  test('a photo that waits for a person is ended by any change of the name, and not restored', async () => {
    const id = await verified();
    await db.query(
      `update public.id_verifications set verification_status = 'review', verified_at = null where user_id = $1::uuid`,
      [id],
    );
    await rename(id, 'Alex James Citizen');
    expect(await status(id)).toBe('superseded');
    await rename(id, 'Alex Citizen');
    expect(await status(id)).toBe('superseded');
  });
});
