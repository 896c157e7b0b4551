import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type Stripe from 'stripe';
import { openFixture, type Fixture } from '../../testing.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
beforeEach(() => fixture.control('POST', '/api/reset'));
afterAll(() => fixture.close());

type Session = Stripe.Identity.VerificationSession;
const create = (): Promise<Session> =>
  fixture.stripe.identity.verificationSessions.create({
    type: 'document',
    options: {
      document: { allowed_types: ['driving_license'], require_live_capture: true, require_matching_selfie: true },
    },
    provided_details: { email: 'alex@example.com' },
    client_reference_id: 'user-1',
    return_url: 'http://shop.example/verified',
  });
const SHOWN = { first_name: 'Sam', last_name: 'Specimen', dob: '1990-02-28', expiry: '2032-12-01' };
const EVERYTHING = [
  'verified_outputs',
  'verified_outputs.dob',
  'last_verification_report',
  'last_verification_report.document.expiration_date',
];
const finish = (session: Session, outcome: string): Promise<Response> =>
  fixture.submit(session.url ?? '', { ...SHOWN, outcome, action: 'finish' });
const catchRefusal = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'not refused',
    (error: unknown) => error,
  );

describe('an identity check', () => {
  test('is finished on its page, once, and redirects back', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 'requires_input', client_reference_id: 'user-1', livemode: false });
    expect(created.client_secret).toContain(created.id);
    expect(await (await fixture.look(created.url ?? '')).text()).toContain('<title>Show your ID');
    const answer = await finish(created, 'verified');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('http://shop.example/verified');
    const read = await fixture.stripe.identity.verificationSessions.retrieve(created.id);
    expect(read).toMatchObject({ status: 'verified', url: null, client_secret: null, verified_outputs: null });
    expect((await finish(created, 'abandoned')).headers.get('location')).toBe('http://shop.example/verified');
    expect((await fixture.stripe.identity.verificationSessions.retrieve(created.id)).status).toBe('verified');
    expect(await (await fixture.look(created.url ?? '')).text()).toContain('This link has been used');
    for (const type of ['created', 'verified']) await fixture.hooked(`identity.verification_session.${type}`);
  });

  test('shows the name to every key, birth date and expiry only to the restricted key that expands them', async () => {
    const created = await create();
    await finish(created, 'verified');
    const plain = await fixture.stripe.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(plain.verified_outputs).toMatchObject({ first_name: 'Sam', last_name: 'Specimen' });
    expect(plain.verified_outputs?.dob).toBeUndefined();
    expect(JSON.stringify(plain)).not.toContain('2032');
    const some = await fixture.restricted.identity.verificationSessions.retrieve(created.id, {
      expand: ['verified_outputs'],
    });
    expect(some.verified_outputs?.dob).toBeUndefined();
    const all = await fixture.restricted.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(all.verified_outputs?.dob).toEqual({ year: 1990, month: 2, day: 28 });
    expect(all.last_verification_report).toMatchObject({
      object: 'identity.verification_report',
      document: { status: 'verified', expiration_date: { year: 2032, month: 12, day: 1 } },
    });
  });

  test('hides birth dates after 48 hours', async () => {
    const created = await create();
    await finish(created, 'verified');
    await fixture.control('POST', '/api/clock', { advance_seconds: 48 * 3600 });
    const late = await fixture.restricted.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(late.verified_outputs).toMatchObject({ first_name: 'Sam' });
    expect(late.verified_outputs?.dob).toBeUndefined();
  });

  test.each(['document_expired', 'under_supported_age', 'selfie_face_mismatch', 'consent_declined', 'abandoned'])(
    'that fails with %s waits for another try at a new address',
    async (code) => {
      const created = await create();
      await finish(created, code);
      const read = await fixture.stripe.identity.verificationSessions.retrieve(created.id);
      expect(read).toMatchObject({ status: 'requires_input', last_error: { code } });
      expect(read.url).toMatch(/\/verify\/vs_/);
      expect(read.url).not.toBe(created.url);
      await finish(read, 'verified');
      expect((await fixture.stripe.identity.verificationSessions.retrieve(created.id)).status).toBe('verified');
    },
  );

  test('may be processing for a while, and can be ended by the control API', async () => {
    const created = await create();
    await finish(created, 'processing');
    const read = await fixture.stripe.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(read).toMatchObject({ status: 'processing', url: null, verified_outputs: null });
    const { json } = await fixture.control('POST', `/api/identity/${created.id}`, { outcome: 'verified' });
    expect(json).toMatchObject({ id: created.id, status: 'verified' });
    const names = await fixture.stripe.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(names.verified_outputs).toMatchObject({ first_name: 'Sam' });
  });

  test('can be cancelled while it waits, and redacted at any time', async () => {
    const created = await create();
    const sessions = fixture.stripe.identity.verificationSessions;
    expect(await sessions.cancel(created.id)).toMatchObject({ status: 'canceled', url: null });
    expect(await catchRefusal(sessions.cancel(created.id))).toMatchObject({ statusCode: 400 });
    const other = await create();
    await finish(other, 'verified');
    expect(await sessions.redact(other.id)).toMatchObject({ redaction: { status: 'redacted' } });
    const gone = await fixture.restricted.identity.verificationSessions.retrieve(other.id, { expand: EVERYTHING });
    expect(gone.verified_outputs).toMatchObject({ first_name: '[redacted]', dob: null });
    expect(JSON.stringify(gone)).not.toContain('Specimen');
  });

  test('can be left without finishing, and nothing changes', async () => {
    const created = await create();
    const answer = await fixture.submit(created.url ?? '', { action: 'leave' });
    expect(answer.headers.get('location')).toBe('http://shop.example/verified');
    expect(await fixture.stripe.identity.verificationSessions.retrieve(created.id)).toMatchObject({
      status: 'requires_input',
      url: created.url,
    });
  });

  test('can be updated while it waits; unknown fields and types are refused', async () => {
    const created = await create();
    const sessions = fixture.stripe.identity.verificationSessions;
    expect(await sessions.update(created.id, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } });
    expect(await catchRefusal(sessions.create({ type: 'id_number' }))).toMatchObject({ param: 'type' });
    expect(await catchRefusal(sessions.create({}))).toMatchObject({ code: 'parameter_missing' });
    expect(await catchRefusal(sessions.retrieve('vs_nobody'))).toMatchObject({ statusCode: 404 });
    const listed = await sessions.list({ client_reference_id: 'user-1' });
    expect(listed.data.map((session) => session.id)).toEqual([created.id]);
  });

  test('through the control API takes what the person would type', async () => {
    const created = await create();
    const { json } = await fixture.control('POST', `/api/identity/${created.id}`, { outcome: 'verified', ...SHOWN });
    expect(json).toMatchObject({ status: 'verified' });
    const all = await fixture.restricted.identity.verificationSessions.retrieve(created.id, { expand: EVERYTHING });
    expect(all.verified_outputs).toMatchObject({ last_name: 'Specimen', dob: { year: 1990 } });
    const failing = await create();
    const { json: failed } = await fixture.control('POST', `/api/identity/${failing.id}`, {
      outcome: 'requires_input',
    });
    expect(failed).toMatchObject({ status: 'requires_input', last_error: { code: 'document_unverified_other' } });
    expect((await fixture.control('POST', `/api/identity/${failing.id}`, { outcome: 'eaten' })).status).toBe(400);
  });
});
