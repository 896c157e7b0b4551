import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, slotEnd, slotStart, studioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, mailsTo, STUDIO_A, type TestServer, until } from '#tests/support/test-server.ts';

/** An unused photo. */
const UNUSED = '0a1b2c3d-0000-4000-8000-000000000003.png';

describe.each(engines)('settings of the business on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    // There must be an owner, so the first person stays one.
    for (const { id } of [await server.addCustomer(), staff])
      await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
    await grant('settings');
  }, 180_000);
  afterAll(() => server.close());

  const grant = (permission: string) =>
    server.app.db.query('update public.staff_permissions set permission = $2 where user_id = $1::uuid', [
      staff.id,
      permission,
    ]);
  const set = (body: unknown, token = staff.token) => server.call('staff-set-settings', body, token);
  const hold = (days: number, hour: number, termsAccepted = false, termsVersion: unknown = null) => {
    const date = addDays(studioDate(server.now()), days);
    const times = {
      startTime: (slotStart(date, hour) ?? new Date(0)).toISOString(),
      endTime: slotEnd(date, hour).toISOString(),
    };
    return server.call('create-payment', checkout(times, { termsAccepted, termsVersion }, STUDIO_A), customer.token);
  };
  const stored = (bookingId: unknown) =>
    server.app.db.queryRow<{ minutes: number; policy: unknown; terms: string }>(
      `select round(extract(epoch from hold_expires_at - created_at) / 60)::int as minutes, policy, terms_version as terms
       from private.booking where id = $1::uuid`,
      [bookingId],
    );

  it('hold time, horizon and cancellation terms count from the next hold on, and a booking keeps those it was made with', async () => {
    const before = await hold(2, 10);
    expect(await stored(before.body['bookingId'])).toEqual({
      minutes: constants.holdMinutes,
      policy: { freeCancelHours: 24 },
      terms: constants.termsVersion,
    });
    expect(await set({ holdMinutes: 25, horizonDays: 10, freeCancelHours: 72 })).toMatchObject({
      status: 200,
      body: { settings: { holdMinutes: 25, name: '24/7 DJ Studios' } },
    });
    // A new cancellation period creates a new version of the terms.
    expect(await hold(10, 10)).toMatchObject({ status: 403, body: { error: { code: 'terms_required' } } });
    const after = await hold(10, 10, true);
    expect(await stored(after.body['bookingId'])).toMatchObject({ minutes: 25, policy: { freeCancelHours: 72 } });
    expect(await hold(11, 10)).toMatchObject({ status: 409, body: { error: { code: 'slot_closed' } } });
    // The terms that were agreed for the booking still apply.
    expect(await stored(before.body['bookingId'])).toMatchObject({ policy: { freeCancelHours: 24 } });
    const own = await server.client(customer.token).rpc('own_bookings');
    expect(Object.fromEntries((own.data ?? []).map((booking) => [booking.id, booking.free_cancel_hours]))).toEqual({
      [String(before.body['bookingId'])]: 24,
      [String(after.body['bookingId'])]: 72,
    });
    expect(await set({ horizonDays: 90, holdMinutes: 15 })).toMatchObject({ status: 200 });
  });

  it('new terms are asked of everybody once', async () => {
    const { body } = await set({ terms: [{ title: 'One', text: 'Write to {email}.' }] });
    const version = (body['settings'] as Record<string, unknown>)['termsVersion'];
    expect(version).toMatch(/^\d{4}-\d\d-\d\d(\.\d+)?$/);
    expect(await hold(4, 10)).toMatchObject({ status: 403, body: { error: { code: 'terms_required' } } });
    const accepted = await hold(4, 10, true);
    expect(await stored(accepted.body['bookingId'])).toMatchObject({ terms: version });
    expect(await hold(4, 10)).toMatchObject({ status: 200 });
  });

  it('an acceptance counts for the version that was read: an older one is refused and names the new one', async () => {
    const setTerms = async (text: string) => {
      const { body } = await set({ terms: [{ title: 'One', text }] });
      return (body['settings'] as Record<string, unknown>)['termsVersion'];
    };
    const [older, newer] = [await setTerms('Old'), await setTerms('New')];
    expect(await hold(5, 10, true, older)).toMatchObject({
      status: 403,
      body: {
        error: { code: 'terms_required', message: expect.stringContaining('have changed'), termsVersion: newer },
      },
    });
    const accepted = await server.app.db.query('select 1 from public.terms_acceptances where version = any ($1)', [
      [older, newer],
    ]);
    expect(accepted.rows).toEqual([]);
    expect(await stored((await hold(5, 10, true, newer)).body['bookingId'])).toMatchObject({ terms: newer });
    // A customer who has accepted the current text may repeat an older acceptance.
    expect(await hold(5, 10, true, older)).toMatchObject({ status: 200 });
  });

  it('everybody reads what pages show, and only staff with the permission read the history and the notes', async () => {
    await set({ notice: 'Closed on Monday', arrivalNotes: 'Ring twice' });
    const shown = await server.client().rpc('site_settings');
    expect(shown.data).toMatchObject({ notice: 'Closed on Monday', email: 'hello@example.com' });
    expect(JSON.stringify(shown.data)).not.toContain('Ring twice');
    expect((await server.client().rpc('site_texts')).data).toMatchObject({ terms: [{ title: 'One' }] });
    const history = (token: string) => server.client(token).from('business_settings').select('version, settings');
    expect((await history(staff.token)).data?.at(-1)).toMatchObject({ settings: { arrivalNotes: 'Ring twice' } });
    expect((await history(customer.token)).data).toEqual([]);
    await grant('money');
    expect((await history(staff.token)).data).toEqual([]);
    expect(await set({ notice: '' })).toMatchObject({ status: 403, body: { error: { code: 'not_yours' } } });
    await grant('settings');
    expect(await set({ holdMinutes: 60 })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'holdMinutes' } },
    });
  });

  it('a photo beside the directions is uploaded before, is public, and its earlier one stays for the history', async () => {
    const [first, second] = [1, 2].map((at) => `0a1b2c3d-0000-4000-8000-00000000000${at}.png`);
    expect(await set({ directionsPhoto: first })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'directionsPhoto' } },
    });
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const files = server.client(staff.token).storage.from('rooms');
    for (const name of [first, second, UNUSED])
      expect((await files.upload(String(name), picture, { contentType: 'image/png' })).error).toBeNull();
    for (const change of [{ directionsPhoto: first, directionsPhotoText: 'A door' }, { directionsPhoto: second }])
      expect(await set(change)).toMatchObject({ status: 200 });
    expect((await server.client().rpc('site_settings')).data).toMatchObject({
      directionsPhoto: second,
      directionsPhotoText: 'A door',
    });
    const deleteUnused = (now: Date) =>
      server.app.db.queryRow('select private.delete_unused_photos($1::timestamptz) as deleted', [now]);
    const day = 86_400_000;
    expect(await deleteUnused(new Date(Date.now() + day - 60_000))).toEqual({ deleted: 0 });
    expect(await deleteUnused(new Date(Date.now() + day + 60_000))).toEqual({ deleted: 1 });
    expect((await files.list()).data?.map(({ name }) => name)).toEqual([first, second]);
    expect(await set({ directionsPhoto: '' })).toMatchObject({ status: 200 });
  });

  it('mails have the new name and address', async () => {
    await set({ name: 'Harbour Decks', address: '1 Wharf Road', email: 'decks@example.com' });
    // This process reads the settings again when it is notified of the change.
    await until(async () => {
      await server.client().auth.resetPasswordForEmail(customer.email);
      await server.app.flushMail();
      return (await mailsTo(server, customer.email)).find(({ text }) =>
        text.includes('Harbour Decks, 1 Wharf Road\nQuestions? decks@example.com'),
      );
    });
  });
});
