import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { LicenceReading, ObjectStore } from '#server/providers/ports.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import type { Services } from '../core/services.ts';
import { checkPhoto } from './check-photo.ts';
import { createCheckQueue } from './check-queue.ts';
import { startHostedCheck } from './hosted-check.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const reading: LicenceReading = {
  documentKind: 'driver_licence',
  issuingState: 'NSW',
  medium: 'physical',
  givenNames: 'Alex',
  familyName: 'CITIZEN',
  dateOfBirth: { iso: '1998-04-03', printed: '03 APR 1998' },
  expiry: { iso: '2090-01-01', printed: '01 JAN 2090' },
  isLegible: true,
  issues: [],
  confidence: 94,
};
/** The first bytes of a JPEG. */
const PICTURE = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
const MINOR: LicenceReading = { ...reading, dateOfBirth: { iso: '2020-04-03', printed: '03 APR 2020' } };

describe.each(engines)('checks of a licence photo, on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
  }, 120_000);
  afterAll(() => server.close());

  type Fakes = { read?: () => Promise<LicenceReading>; db?: Database; now?: () => Date };
  function open({ read = () => Promise.resolve(reading), db, now }: Fakes): {
    context: Services;
    kept: Set<string>;
    read: ReturnType<typeof vi.fn<() => Promise<LicenceReading>>>;
  } {
    const kept = new Set<string>();
    const reads = vi.fn(read);
    const store: Partial<ObjectStore> = {
      put: (key) => Promise.resolve(void kept.add(key)),
      remove: (key) => Promise.resolve(void kept.delete(key)),
    };
    const context = servicesWith({
      db: db ?? server.app.db,
      idReader: { read: reads },
      pictures: { repack: (bytes) => Promise.resolve(bytes) },
      store,
      clock: now ?? server.now,
      siteUrl: server.url,
      checkQueue: createCheckQueue({ atOnce: 1 }),
    });
    return { context, kept, read: reads };
  }

  /** Creates a customer without a verification. */
  async function unverified(): Promise<string> {
    const { id } = await server.addCustomer();
    await server.app.db.query('delete from public.id_verifications where user_id = $1::uuid', [id]);
    return id;
  }
  const rename = (id: string, name: string): Promise<unknown> =>
    server.app.db.query('update public.profiles set full_name = $2 where user_id = $1::uuid', [id, name]);
  const decisions = async (id: string): Promise<readonly string[]> =>
    (
      await server.app.db.query<{ status: string }>(
        'select verification_status as status from public.id_verifications where user_id = $1::uuid order by created_at',
        [id],
      )
    ).rows.map((row) => row.status);

  test.each([
    ['name', `update public.profiles set full_name = 'Sam Stranger' where user_id = $1::uuid`],
    ['birth date', `update public.profiles set date_of_birth = '1999-09-09' where user_id = $1::uuid`],
  ])('a %s that changes while the photo is read does not end verified', async (_what, change) => {
    const id = await unverified();
    const { context } = open({
      read: async () => {
        await server.app.db.query(change, [id]);
        return reading;
      },
    });
    const { judgement } = await checkPhoto(context, id, PICTURE);
    expect(judgement.decision).toBe('review');
    expect(await decisions(id)).toEqual(['review']);
  });

  test('a name that changes during the check is compared again, and one that keeps changing is refused', async () => {
    const id = await unverified();
    let changes = 0;
    let changesLeft = 1;
    const db: Database = {
      ...server.app.db,
      transaction: async (work) => {
        if (changesLeft > 0) {
          changes += 1;
          changesLeft -= 1;
          await rename(id, `Sam Stranger ${'i'.repeat(changes)}`);
        }
        return server.app.db.transaction(work);
      },
    };
    const { context, kept } = open({ db });
    expect((await checkPhoto(context, id, PICTURE)).judgement.decision).toBe('review');
    expect(await decisions(id)).toEqual(['review']);
    expect(kept.size).toBe(1);
    changesLeft = 99;
    await expect(checkPhoto(context, id, PICTURE)).rejects.toMatchObject({ code: 'invalid_request' });
    // Each change of name withdrew a decision. The photo of the refused check is not kept.
    expect(await decisions(id)).toEqual(['superseded']);
    expect(kept.size).toBe(1);
  });

  test('an unchanged profile is verified, and a later change of name withdraws the verification', async () => {
    const id = await unverified();
    expect((await checkPhoto(open({}).context, id, PICTURE)).judgement.decision).toBe('verified');
    await rename(id, 'Sam Stranger');
    expect(await decisions(id)).toEqual(['superseded']);
  });

  test('under 18 is final: no further photo or hosted check until the birthday on the licence, or until staff lift it', async () => {
    const id = await unverified();
    const { context, read } = open({ read: () => Promise.resolve(MINOR) });
    const message = expect.stringMatching(/you turn 18 on \w+ 3 April 2038/);
    // The first answer is the same as all later ones.
    expect(await checkPhoto(context, id, PICTURE)).toMatchObject({
      judgement: { decision: 'failed', isFinal: true },
      reasons: [message],
    });
    const refusal = { code: 'age_required', message };
    await expect(checkPhoto(context, id, PICTURE)).rejects.toMatchObject(refusal);
    await expect(startHostedCheck(context, id, 'a@example.com')).rejects.toMatchObject(refusal);
    expect(read).toHaveBeenCalledTimes(1);
    expect(await decisions(id)).toEqual(['failed']);
    const dayBefore = open({ now: () => new Date('2038-04-02T01:00:00Z') });
    await expect(checkPhoto(dayBefore.context, id, PICTURE)).rejects.toMatchObject(refusal);
    const birthday = open({ now: () => new Date('2038-04-03T01:00:00Z') });
    expect((await checkPhoto(birthday.context, id, PICTURE)).judgement.decision).toBe('verified');
    const lifted = await unverified();
    await checkPhoto(context, lifted, PICTURE);
    await server.app.db.query(
      `update public.id_verifications set verification_status = 'superseded' where user_id = $1::uuid`,
      [lifted],
    );
    expect((await checkPhoto(open({}).context, lifted, PICTURE)).judgement.decision).toBe('verified');
  });

  test('a final answer ends a photo that waited for a person', async () => {
    const id = await unverified();
    await checkPhoto(open({ read: () => Promise.resolve({ ...reading, confidence: 50 }) }).context, id, PICTURE);
    expect(await decisions(id)).toEqual(['review']);
    await checkPhoto(open({ read: () => Promise.resolve(MINOR) }).context, id, PICTURE);
    expect(await decisions(id)).toEqual(['superseded', 'failed']);
  });

  test('an expired licence and an unclear birth date are not final: another photo is checked', async () => {
    for (const poor of [
      { ...reading, expiry: { iso: '2020-01-01', printed: '01 JAN 2020' } },
      { ...MINOR, confidence: 50 },
    ]) {
      const id = await unverified();
      expect(
        (await checkPhoto(open({ read: () => Promise.resolve(poor) }).context, id, PICTURE)).judgement.isFinal,
      ).toBe(false);
      expect((await checkPhoto(open({}).context, id, PICTURE)).judgement.decision).toBe('verified');
    }
  });

  test('a second photo of an account is refused while the first is read', async () => {
    const id = await unverified();
    let end: (value: LicenceReading) => void = () => undefined;
    const { context, read } = open({ read: () => new Promise((resolve) => (end = resolve)) });
    const first = checkPhoto(context, id, PICTURE);
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1));
    await expect(checkPhoto(context, id, PICTURE)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfter: 15 },
    });
    end(reading);
    expect((await first).judgement.decision).toBe('verified');
  });
});
