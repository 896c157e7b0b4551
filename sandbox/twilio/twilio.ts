import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import { esc, page } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createCaptcha } from './captcha.ts';

const ACCOUNT = { sid: 'ACsandbox', token: 'sandbox-token' } as const;
const E164 = /^\+[1-9]\d{6,14}$/;
const LONGEST = 1_600;
const KEPT = 2_000;
const SHOWN = 5;
/** Numbers that always fail with this error, as Twilio's test numbers do. */
const MAGIC: Readonly<Record<string, readonly [code: number, message: string]>> = {
  '+15005550001': [21_211, "The 'To' number +15005550001 is not a valid phone number."],
  '+15005550009': [21_614, "'To' number is not a valid mobile number"],
};

type Text = {
  readonly sid: string;
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly receivedAt: string;
};

/** Simulates Twilio's messages and both captchas on one port. The home port shows the received messages. */
export function createTwilio(core: Core): Provider {
  const captcha = createCaptcha();
  let texts: Text[] = [];

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/siteverify')) return captcha.handle(request, pathname);
    const account = /^\/2010-04-01\/Accounts\/(\w+)\/Messages\.json$/.exec(pathname)?.[1];
    if (account === undefined || request.method !== 'POST')
      return refusal(404, 20_404, `The requested resource ${pathname} was not found`);
    if (!isAccount(request.headers.get('authorization'), account)) return refusal(401, 20_003, 'Authenticate');
    return send(new URLSearchParams(await request.text()));
  }

  function send(form: URLSearchParams): Response {
    const [to, text] = [form.get('To') ?? '', form.get('Body') ?? ''];
    const from = form.get('From') ?? form.get('MessagingServiceSid') ?? '';
    if (to === '') return refusal(400, 21_604, "A 'To' phone number is required.");
    const magic = MAGIC[to];
    if (magic) return refusal(400, ...magic);
    if (!E164.test(to)) return refusal(400, 21_211, `The 'To' number ${to} is not a valid phone number.`);
    if (from === '') return refusal(400, 21_603, "A 'From' phone number is required.");
    if (!E164.test(from) && !from.startsWith('MG'))
      return refusal(400, 21_212, `The 'From' number ${from} is not a valid phone number`);
    if (text === '') return refusal(400, 21_602, 'Message body is required.');
    if (text.length > LONGEST)
      return refusal(400, 21_617, 'The concatenated message body exceeds the 1600 character limit');
    const message = {
      sid: `SM${randomBytes(16).toString('hex')}`,
      to,
      from,
      text,
      receivedAt: new Date().toISOString(),
    };
    texts = [message, ...texts].slice(0, KEPT);
    return Response.json(
      {
        sid: message.sid,
        account_sid: ACCOUNT.sid,
        to,
        from,
        body: text,
        status: 'queued',
        direction: 'outbound-api',
        error_code: null,
      },
      { status: 201 },
    );
  }

  const find = (to: string | null): readonly Text[] => texts.filter((text) => to === null || text.to === to);
  const control = new Hono();
  control.get('/texts', (c) => c.json(find(c.req.query('to') || null)));
  control.delete('/texts', (c) => {
    texts = [];
    return c.json({ emptied: true });
  });
  const pages = new Hono();
  pages.get('/texts', (c) => textsPage(find(c.req.query('to')?.trim() || null), c.req.query('to')?.trim() ?? ''));

  return {
    name: 'twilio',
    offset: 7,
    handle,
    control,
    pages,
    panel() {
      const rows = textRows(texts.slice(0, SHOWN));
      return `<section><h2>Phones</h2>${rows ? `<table>${rows}</table>` : '<p>No text messages yet.</p>'}<a class="button quiet" href="/texts">All text messages</a></section>`;
    },
    reset() {
      texts = [];
      captcha.reset();
      core.state.changed();
    },
  };
}

function isAccount(header: string | null, account: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = `Basic ${Buffer.from(`${ACCOUNT.sid}:${ACCOUNT.token}`).toString('base64')}`;
  return account === ACCOUNT.sid && timingSafeEqual(digest(header ?? ''), digest(expected));
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, { status });
}

function textRows(texts: readonly Text[]): string {
  return texts
    .map(
      (text) =>
        `<tr><td><time datetime="${text.receivedAt}">${esc(text.receivedAt.slice(11, 19))} UTC</time></td><td>${esc(text.to)}</td><td>${esc(text.text)}</td></tr>`,
    )
    .join('');
}

function textsPage(texts: readonly Text[], to: string): Response {
  return page(
    'Phones',
    `<section><h1>Phones</h1><form method="get" role="search"><label for="to">To</label><input id="to" name="to" value="${esc(to)}" placeholder="anyone"><button>Search</button></form>
${texts.length > 0 ? `<table><tr><th>Time</th><th>To</th><th>Text</th></tr>${textRows(texts)}</table>` : '<p>No text messages yet.</p>'}</section>`,
    '<meta http-equiv="refresh" content="5">',
  );
}
