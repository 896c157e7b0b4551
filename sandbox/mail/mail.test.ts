import { Hono } from 'hono';
import nodemailer, { type Transporter } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCoreControl } from '../core/control.ts';
import { createCore } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { createMail } from './mail.ts';

type Shown = {
  id: string;
  to: string;
  subject: string;
  text: string;
  messageId: string;
  duplicateOf: string | null;
  attachments: { filename: string; contentType: string; size: number }[];
};

let provider: Provider;
let home: Hono;
let port = 0;
let transports: Transporter[] = [];

beforeEach(async () => {
  const core = createCore({ port: 0, webhookTarget: 'http://127.0.0.1:9', stateFile: null });
  provider = createMail(core);
  for (let tries = 0; ; tries += 1) {
    port = 33_000 + Math.floor(Math.random() * 7_000);
    try {
      await provider.start?.(port, '127.0.0.1');
      break;
    } catch (error) {
      if (tries > 9) throw error;
      provider = createMail(core);
    }
  }
  home = new Hono();
  home.route('/api', createCoreControl(core, [provider]));
  home.route('/api', provider.control);
  if (provider.pages) home.route('/', provider.pages);
});
afterEach(async () => {
  for (const transport of transports) transport.close();
  transports = [];
  await provider.close?.();
});

function connect(pool = false): Transporter {
  const timeouts = { greetingTimeout: 600, socketTimeout: 600, connectionTimeout: 600 };
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false, pool, ...timeouts });
  transports.push(transport);
  return transport;
}
const mail = (more: Record<string, unknown> = {}) => ({
  from: 'Studio <hello@studio.example>',
  to: 'Alex@Example.com',
  subject: 'Booking confirmed: Studio A',
  text: 'PIN: 123456\nhttps://studio.example/booking',
  html: '<html><head></head><body><b>PIN</b> <script>alert(1)</script></body></html>',
  ...more,
});
async function mailbox(query = ''): Promise<Shown[]> {
  const found: Shown[] = JSON.parse(await (await home.request(`/api/mail${query}`)).text());
  return found;
}
async function arm(body: unknown): Promise<void> {
  const response = await home.request('/api/faults', { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

describe('the mailbox', () => {
  it('stores mails from SMTP and finds them by address and part of the subject', async () => {
    await connect().sendMail(mail({ messageId: '<one@studio.example>' }));
    await connect().sendMail(mail({ to: 'kim@example.com', subject: 'Your access code' }));
    expect((await mailbox()).map((mail) => mail.to)).toEqual(['kim@example.com', 'alex@example.com']);
    const [found] = await mailbox('?to=alex@EXAMPLE.com&subject=booking%20CONFIRMED');
    expect(found).toMatchObject({
      from: 'hello@studio.example',
      messageId: '<one@studio.example>',
      duplicateOf: null,
      text: expect.stringContaining('PIN: 123456'),
    });
    expect(await mailbox('?to=alex@example.co')).toEqual([]);
    await home.request('/api/mail', { method: 'DELETE' });
    expect(await mailbox()).toEqual([]);
  });
  it('stores repeats and links each to its first mail', async () => {
    for (let index = 0; index < 2; index += 1) await connect().sendMail(mail({ messageId: '<one@studio.example>' }));
    await connect().sendMail(mail({ messageId: '<one@studio.example>', to: 'kim@example.com' }));
    const [other, second, first] = await mailbox();
    expect(second).toMatchObject({ duplicateOf: first?.id });
    expect(other).toMatchObject({ duplicateOf: null, to: 'kim@example.com' });
  });
  it('serves attachments', async () => {
    const file = { filename: 'booking.ics', content: 'BEGIN:VCALENDAR', contentType: 'text/calendar; method=PUBLISH' };
    await connect().sendMail(mail({ attachments: [file] }));
    const [found] = await mailbox();
    expect(found?.attachments).toEqual([
      { filename: 'booking.ics', contentType: 'text/calendar', size: expect.any(Number) },
    ]);
    const answer = await home.request(`/mail/${found?.id}/0`);
    expect(answer.headers.get('content-disposition')).toContain('booking.ics');
    expect((await answer.text()).trim()).toBe('BEGIN:VCALENDAR');
  });
  it('accepts any login and several recipients', async () => {
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port, auth: { user: 'a', pass: 'b' } });
    transports.push(transport);
    await transport.sendMail(mail({ to: 'a@example.com', cc: 'b@example.com' }));
    expect((await mailbox()).map((mail) => mail.to).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'a@example.com',
      'b@example.com',
    ]);
  });
});

describe('its pages', () => {
  it('list mails, and show one in a frame without scripts, or as text with links', async () => {
    await connect().sendMail(mail());
    const list = await (await home.request('/mail?subject=booking')).text();
    expect(list).toContain('Booking confirmed: Studio A');
    const [found] = await mailbox();
    const shown = await (await home.request(`/mail/${found?.id}`)).text();
    expect(shown).toMatch(/<iframe [^>]*sandbox="(?![^"]*allow-scripts)[^"]*"/);
    expect(shown).not.toContain('<script>alert');
    const text = await (await home.request(`/mail/${found?.id}?view=text`)).text();
    expect(text).toContain('<a href="https://studio.example/booking">');
    expect((await home.request('/mail/none')).status).toBe(404);
  });
});

describe('faults', () => {
  it.each([
    [{ status: 451 }, 451],
    [{ status: 550 }, 550],
    [{}, 451],
  ])('answer the message with a status: %j', async (more, code) => {
    await arm({ provider: 'mail', kind: 'status', ...more });
    await expect(connect().sendMail(mail())).rejects.toMatchObject({ responseCode: code });
    expect(await mailbox()).toEqual([]);
    await connect().sendMail(mail());
    expect(await mailbox()).toHaveLength(1);
  });
  it.each(['refuse', 'offline', 'hang', 'garbage'])('lose the message: %s', async (kind) => {
    await arm({ provider: 'mail', kind });
    await expect(connect().sendMail(mail())).rejects.toThrow();
    expect(await mailbox()).toEqual([]);
    await connect().sendMail(mail());
    expect(await mailbox()).toHaveLength(1);
  });
  it('apply to a connection that stays open too', async () => {
    const transport = connect(true);
    await transport.sendMail(mail());
    await arm({ provider: 'mail', kind: 'status', status: 421 });
    await expect(transport.sendMail(mail())).rejects.toThrow();
    await arm({ provider: 'mail', kind: 'hang' });
    await expect(transport.sendMail(mail())).rejects.toThrow();
    await transport.sendMail(mail());
    expect(await mailbox()).toHaveLength(2);
  });
  it('store the message and lose the answer', async () => {
    await arm({ provider: 'mail', kind: 'fail_after' });
    await expect(connect().sendMail(mail({ messageId: '<one@studio.example>' }))).rejects.toThrow();
    expect(await mailbox()).toHaveLength(1);
    await connect().sendMail(mail({ messageId: '<one@studio.example>' }));
    expect((await mailbox())[0]?.duplicateOf).not.toBeNull();
  });
  it('appear in the request log, with the digits of a subject masked', async () => {
    await connect().sendMail(mail({ subject: 'Your code: 123456' }));
    const requests = await (await home.request('/api/requests?provider=mail')).text();
    expect(requests).toContain('alex@example.com');
    expect(requests).not.toContain('123456');
  });
});
