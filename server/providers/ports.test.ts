import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandboxPorts, type SandboxPorts } from '#tests/support/sandbox-ports.ts';
import { createIgloohomeLocks } from './igloohome/locks.ts';
import type { IssuedCode, IdentityChecks, Locks, Mail, Payments, PaymentSession, Power } from './ports.ts';
import { createShellyPower } from './shelly-power.ts';
import { createSmtpMail } from './smtp-mail.ts';
import { createStripeIdentity } from './stripe/identity.ts';
import { createStripePayments } from './stripe/payments.ts';
import { createVisionIdReader } from './vision-id-reader.ts';

/** One suite for each port. It tests the guarantees on which the server relies, through the adapter against the sandbox. */
let outside: SandboxPorts;
beforeAll(async () => {
  outside = await openSandboxPorts();
}, 30_000);
afterAll(() => outside.close());
const hours = (count: number): Date => new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + count * 3_600_000);

describe('Payments', () => {
  let payments: Payments;
  beforeAll(() => {
    payments = createStripePayments({
      secretKey: 'sk_test_sandbox',
      webhookSecrets: ['whsec_sandbox'],
      apiUrl: outside.at(1),
      methods: ['card', 'link', 'au_becs_debit'],
    });
  });
  const create = (bookingId: string, key = `create:${bookingId}:1`): Promise<PaymentSession> =>
    payments.createSession({
      key,
      bookingId,
      amountCents: 11_800,
      items: [{ description: 'Studio A, 2 h', amountCents: 11_800 }],
      customerId: null,
      customerEmail: 'alex@example.com',
      successUrl: 'http://localhost/ok?id={CHECKOUT_SESSION_ID}',
      cancelUrl: 'http://localhost/no',
      expiresAt: new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 31 * 60_000),
      allowDelayed: false,
      metadata: { key },
    });

  it('open one session for each key, and find it again by its booking', async () => {
    const bookingId = randomUUID();
    const first = await create(bookingId);
    expect(first).toMatchObject({
      status: 'open',
      paymentStatus: 'unpaid',
      amountCents: 11_800,
      currency: 'aud',
      bookingId,
      metadata: { key: `create:${bookingId}:1` },
    });
    expect((await create(bookingId)).id).toBe(first.id);
    expect((await payments.findSession(bookingId, new Date(Date.now() - 60_000)))?.id).toBe(first.id);
    expect(await payments.findSession(randomUUID(), new Date(Date.now() - 60_000))).toBeNull();
    expect((await payments.listSessions(new Date(Date.now() - 60_000))).map((session) => session.id)).toContain(
      first.id,
    );
  });
  it('close an open session, and report one that was paid meanwhile', async () => {
    const open = await create(randomUUID());
    expect(await payments.expireSession(open.id)).toMatchObject({ status: 'expired' });
    expect(await payments.expireSession(open.id)).toMatchObject({ status: 'expired' });
    const paid = await create(randomUUID());
    await outside.ask(`/api/payments/${paid.id}`, { outcome: 'paid' });
    expect(await payments.expireSession(paid.id)).toMatchObject({ status: 'complete', paymentStatus: 'paid' });
  });
  it('refund once for each key, and never more than was paid', async () => {
    const session = await create(randomUUID());
    await outside.ask(`/api/payments/${session.id}`, { outcome: 'paid' });
    const { paymentIntentId } = await payments.getSession(session.id);
    const intent = paymentIntentId ?? '';
    expect(await payments.listRefunds(intent)).toEqual([]);
    const key = `refund:${session.id}`;
    const refund = await payments.refund({ key, paymentIntentId: intent });
    expect(refund).toMatchObject({ status: 'succeeded', amountCents: 11_800, key });
    expect((await payments.refund({ key, paymentIntentId: intent })).id).toBe(refund.id);
    await expect(payments.refund({ key: `again:${session.id}`, paymentIntentId: intent })).rejects.toMatchObject({
      reason: 'charge_already_refunded',
    });
    expect(await payments.listRefunds(intent)).toEqual([refund]);
    expect((await payments.findSessionOfIntent(intent))?.id).toBe(session.id);
  });
  it('distinguish certain from ambiguous failures', async () => {
    await expect(payments.getSession('cs_test_nobody')).rejects.toMatchObject({
      name: 'ProviderError',
      retryable: false,
      ambiguous: false,
    });
    // The SDK itself retries once if a connection breaks.
    await outside.fault('stripe', 'fail_after', { count: 2 });
    const bookingId = randomUUID();
    await expect(create(bookingId)).rejects.toMatchObject({ name: 'ProviderError', retryable: true, ambiguous: true });
    expect((await payments.findSession(bookingId, new Date(Date.now() - 60_000)))?.bookingId).toBe(bookingId);
    await outside.fault('stripe', 'status', { status: 503 });
    await expect(create(randomUUID())).rejects.toMatchObject({ retryable: true });
  });
  it('reject a webhook without a valid signature', () => {
    expect(() => payments.readEvent('{}', 't=1,v1=00')).toThrow('signature');
  });
});

describe('IdentityChecks', () => {
  let checks: IdentityChecks;
  beforeAll(() => {
    checks = createStripeIdentity({ restrictedKey: 'rk_test_sandbox', apiUrl: outside.at(1) });
  });
  it('start once for each key and return what was verified', async () => {
    const input = {
      key: `identity:${randomUUID()}`,
      userId: randomUUID(),
      email: 'alex@example.com',
      returnUrl: 'http://localhost/back',
    };
    const begun = await checks.createSession(input);
    expect(begun).toMatchObject({ status: 'requires_input', url: expect.stringContaining('/verify/') });
    expect((await checks.createSession(input)).id).toBe(begun.id);
    await outside.ask(`/api/identity/${begun.id}`, {
      outcome: 'verified',
      first_name: 'Alex',
      last_name: 'Citizen',
      dob: '1998-04-03',
    });
    expect(await checks.getSession(begun.id)).toMatchObject({
      status: 'verified',
      firstName: expect.any(String),
      dateOfBirth: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });
  it('return why verification failed', async () => {
    const begun = await checks.createSession({
      key: randomUUID(),
      userId: randomUUID(),
      email: 'a@example.com',
      returnUrl: 'http://localhost/back',
    });
    await outside.ask(`/api/identity/${begun.id}`, { outcome: 'document_expired' });
    expect(await checks.getSession(begun.id)).toMatchObject({
      status: 'requires_input',
      lastError: 'document_expired',
    });
  });
});

describe.each(['bridge', 'hourly'] as const)('Locks by %s', (mode) => {
  let locks: Locks;
  beforeAll(() => {
    locks = createIgloohomeLocks({
      authUrl: `${outside.at(2)}/oauth2/token`,
      apiUrl: `${outside.at(2)}/igloohome`,
      clientId: 'sandbox-client',
      clientSecret: 'sandbox-secret',
      bridgeId: mode === 'bridge' ? 'EB1X00001' : null,
      mode,
    });
  });
  const issue = (variant: number, pin: string): Promise<IssuedCode> =>
    locks.issueCode({
      lockId: 'SPB1X0002',
      startsAt: hours(2),
      endsAt: hours(4),
      accessName: 'TEST-CODE',
      variant,
      pin,
    });

  it('give the same code for the same input', async () => {
    const first = await issue(1, '483920');
    expect((await issue(1, '483920')).pin).toBe(first.pin);
    expect(first.pin).toMatch(/^\d{4,10}$/);
    expect(await outside.ask('/api/doors/SPB1X0002/keypad', { pin: first.pin })).toMatchObject({ opened: false });
  });
  it('remove a code, or throw not_supported', async () => {
    const { pin } = await issue(2, '583921');
    if (locks.capabilities.revocable) await locks.revokeCode({ lockId: 'SPB1X0002', pin });
    else
      await expect(locks.revokeCode({ lockId: 'SPB1X0002', pin })).rejects.toMatchObject({ reason: 'not_supported' });
  });
  it('open the door from afar, or throw not_supported', async () => {
    const opened = async (): Promise<unknown> =>
      ((await outside.ask('/api/doors')) as { id: string; opened_from_afar: number }[]).find(
        ({ id }) => id === 'SPB1X0002',
      )?.opened_from_afar;
    if (mode === 'bridge') await locks.open({ lockId: 'SPB1X0002' });
    else await expect(locks.open({ lockId: 'SPB1X0002' })).rejects.toMatchObject({ reason: 'not_supported' });
    expect(await opened()).toBe(1);
  });
  it('get a new token when the old one is refused', async () => {
    await locks.check();
    await outside.ask('/api/clock', { advance_seconds: 25 * 3600 });
    expect((await locks.check()).devices.map(({ id }) => id)).toContain('SPB1X0002');
    await outside.ask('/api/clock', { now: new Date().toISOString() });
  });
  it('list the devices with their batteries, and fail with known reasons', async () => {
    const { devices } = await locks.check();
    expect(devices.find(({ id }) => id === 'SPB1X0002')?.batteryPercent).toBeGreaterThan(0);
    expect(devices.map(({ batteryPercent }) => batteryPercent)).toContain(null);
    await expect(
      locks.issueCode({
        lockId: 'NOBODY',
        startsAt: hours(2),
        endsAt: hours(3),
        accessName: 'X',
        variant: 1,
        pin: '123456',
      }),
    ).rejects.toMatchObject({ name: 'ProviderError' });
    await outside.fault('igloohome', 'refuse');
    await expect(issue(3, '683922')).rejects.toMatchObject({ retryable: true, ambiguous: true });
  });
});

describe('Power', () => {
  it('switches, reads back, and lets the plug end a pulse itself [spec 9.21]', async () => {
    const power: Power = createShellyPower({ url: `${outside.at(3)}/green-room/rpc` });
    await power.set(true);
    expect(await power.isOn()).toBe(true);
    await power.set(false);
    await power.pulse(2);
    expect(await power.isOn()).toBe(true);
    await outside.ask('/api/clock', { advance_seconds: 3 });
    expect(await power.isOn()).toBe(false);
    await outside.ask('/api/clock', { now: new Date().toISOString() });
    await outside.fault('plug', 'offline');
    await expect(power.set(true)).rejects.toMatchObject({ name: 'ProviderError' });
  });
});

describe('Mail', () => {
  it('arrives with all its parts, and a repeat has the same Message-ID', async () => {
    const mail: Mail & { close(): void } = createSmtpMail({ url: outside.smtpUrl, from: 'Studio <hello@example.com>' });
    const message = {
      to: 'someone@example.com',
      subject: 'Booking confirmed',
      html: '<p>Hi</p>',
      text: 'Hi',
      key: `job-${randomUUID()}`,
      calendar: { method: 'PUBLISH' as const, content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' },
      document: { name: 'receipt.pdf', content: new TextEncoder().encode('%PDF-1.4') },
    };
    await mail.send(message);
    await mail.send(message);
    const kept = await outside.ask('/api/mail?to=someone@example.com');
    expect(kept).toMatchObject([
      { duplicateOf: expect.any(String) },
      {
        subject: 'Booking confirmed',
        text: expect.stringContaining('Hi'),
        attachments: [{ filename: 'booking.ics' }, { filename: 'receipt.pdf' }],
        duplicateOf: null,
      },
    ]);
    await outside.fault('mail', 'status', { status: 550 });
    await expect(mail.send({ ...message, key: 'other' })).rejects.toMatchObject({ name: 'ProviderError' });
    mail.close();
  });
});

describe.each([
  ['openai', 'specimen-reader', 'response_format'],
  ['anthropic', 'specimen-reader', 'tool_choice'],
  ['anthropic', 'claude-sonnet-4-20250514', 'tool_choice'],
  ['anthropic', 'claude-sonnet-4-5', 'output_config'],
] as const)('IdReader over %s by the model %s, with %s', (protocol, model, field) => {
  it('reads the same licence, and throws when it cannot', { timeout: 60_000 }, async () => {
    const reader = createVisionIdReader({
      protocol,
      baseUrl: `${outside.at(4)}/v1`,
      apiKey: 'sandbox-vision',
      model,
    });
    const picture = new Uint8Array(
      await (await fetch(`${outside.at(0)}/licence.jpg?given=Robin&family=Sample&dob=1991-12-30`)).arrayBuffer(),
    );
    expect(await reader.read(picture)).toMatchObject({
      documentKind: 'driver_licence',
      medium: 'physical',
      givenNames: 'Robin',
      dateOfBirth: { iso: '1991-12-30' },
    });
    const [request] = Object(await outside.ask('/api/requests?provider=vision'));
    expect(request.body).toContain(field);
    await outside.ask('/api/vision', { answer: 'screen' });
    expect(await reader.read(picture)).toMatchObject({ medium: 'screen' });
    await outside.ask('/api/vision', { answer: 'rate_limited' });
    expect(await reader.read(picture)).toMatchObject({ givenNames: 'Robin' });
    for (const answer of ['malformed', 'refusal']) {
      await outside.ask('/api/vision', { answer });
      await expect(reader.read(picture)).rejects.toMatchObject({ name: 'ProviderError', provider: 'vision' });
    }
  });
});
