import { Hono } from 'hono';
import { esc, page } from '../core/page.ts';
import type { ReceivedMail, MailStore } from './store.ts';

/** Serves the mailbox: `/mail` and `/mail/{id}`. */
export function createMailPages(mails: MailStore): Hono {
  const app = new Hono();
  app.get('/mail', (c) => {
    const [to, subject] = [c.req.query('to')?.trim() ?? '', c.req.query('subject')?.trim() ?? ''];
    return listPage(mails.find(to || null, subject || null), to, subject);
  });
  app.get('/mail/:id', (c) => {
    const mail = mails.get(c.req.param('id'));
    return mail ? mailPage(mail, c.req.query('view') === 'text' || mail.html === '') : notFound();
  });
  app.get('/mail/:id/:at', (c) => {
    const file = mails.get(c.req.param('id'))?.attachments[Number(c.req.param('at'))];
    if (!file) return notFound();
    const name = file.filename.replace(/[^\w .-]/g, '_');
    return new Response(new Uint8Array(file.bytes), {
      headers: {
        'content-type': file.contentType,
        'content-disposition': `attachment; filename="${name}"`,
        'x-content-type-options': 'nosniff',
      },
    });
  });
  return app;
}

/** Renders table rows of mails, newest first, for the mailbox and the home page. */
export function mailRows(mails: readonly ReceivedMail[]): string {
  return mails
    .map(
      (mail) =>
        `<tr><td><time datetime="${mail.receivedAt}">${esc(time(mail.receivedAt))}</time></td><td>${esc(mail.to)}</td><td><a href="/mail/${mail.id}">${esc(mail.subject || '(no subject)')}</a>${mail.duplicateOf === null ? '' : ` <span class="bad">repeat</span>`}</td></tr>`,
    )
    .join('');
}

function listPage(found: readonly ReceivedMail[], to: string, subject: string): Response {
  const empty = to || subject ? 'No mail matches.' : 'No mail yet.';
  return page(
    'Mailbox',
    `<section><h1>Mailbox</h1><form method="get" role="search" class="search">
<div><label for="to">To</label><input id="to" name="to" type="email" value="${esc(to)}" placeholder="anyone"></div>
<div><label for="subject">Subject</label><input id="subject" name="subject" value="${esc(subject)}" placeholder="any part of it"></div>
<button>Search</button></form>
<div id="mails">${found.length > 0 ? `<table><tr><th>Time (Sydney)</th><th>To</th><th>Subject</th></tr>${mailRows(found)}</table>` : `<p>${empty}</p>`}</div></section>
<script>${REFRESH}</script>`,
    '<style>.search{display:flex;flex-wrap:wrap;gap:0 12px;align-items:end;margin-bottom:14px}.search div{flex:1 1 200px}</style>',
  );
}

function mailPage(mail: ReceivedMail, asText: boolean): Response {
  const { id } = mail;
  const files = mail.attachments
    .map(
      (file, index) =>
        `<li><a href="/mail/${id}/${index}" download="${esc(file.filename)}">${esc(file.filename)}</a> (${esc(file.contentType)}, ${file.size} bytes)</li>`,
    )
    .join('');
  const tab = (name: string, href: string, current: boolean): string =>
    `<a class="button ${current ? '' : 'quiet'}" href="${href}"${current ? ' aria-current="page"' : ''}>${name}</a>`;
  const repeat =
    mail.duplicateOf === null
      ? ''
      : `<p class="bad">A repeat: <a href="/mail/${mail.duplicateOf}">the first mail</a> has the same Message-ID.</p>`;
  return page(
    mail.subject || 'A mail',
    `<section><h1>${esc(mail.subject || '(no subject)')}</h1><p>To ${esc(mail.to)}<br>From ${esc(mail.from)}<br>${esc(time(mail.receivedAt))} in Sydney</p>${repeat}
${files ? `<h2>Attachments</h2><ul>${files}</ul>` : ''}
<nav aria-label="View">${mail.html ? tab('HTML', `/mail/${id}`, !asText) : ''}${tab('Text', `/mail/${id}?view=text`, asText)}</nav>
${asText ? `<pre>${linked(mail.text)}</pre>` : frame(mail.html)}</section><p><a href="/mail">All mail</a></p>`,
  );
}

/** Shows the mail in an iframe without scripts; links open outside the frame. */
function frame(html: string): string {
  const base = '<base target="_top">';
  const framed = html.includes('<head>') ? html.replace('<head>', `<head>${base}`) : base + html;
  return `<iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation" srcdoc="${esc(framed)}" style="width:100%;height:75vh;border:1px solid #ccd7dd;margin-top:12px;background:#fff"></iframe>`;
}

function linked(text: string): string {
  return esc(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}

function notFound(): Response {
  return page('Mail not found', '<section><h1>Mail not found</h1><a href="/mail">All mail</a></section>', '', 404);
}

function time(iso: string): string {
  return new Intl.DateTimeFormat('en-AU', {
    timeZone: 'Australia/Sydney',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(iso));
}

/** Script that refreshes the list without taking focus from the search fields. */
const REFRESH = `setInterval(async () => {
  if (document.hidden) return;
  try {
    const text = await (await fetch(location.href)).text();
    const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('mails');
    const shown = document.getElementById('mails');
    if (fresh && fresh.innerHTML !== shown.innerHTML) shown.innerHTML = fresh.innerHTML;
  } catch { /* the sandbox is gone; what is shown stays */ }
}, 3000);`;
