import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import { esc, page } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createMailbox, type Letter, letterPage, type Mailbox, mailboxPage } from '../mail/mail.ts';

const SHOWN = 5;

/** The mail server on its port, and its mailbox on the home port. */
export function createMail(core: Core): Provider {
  // Made when it starts to listen; nobody asks before.
  let mailbox: Mailbox | null = null;
  const find = (to: string | null, subject: string | null): Letter[] => mailbox?.find(to, subject) ?? [];

  const control = new Hono();
  control.get('/mail', (c) =>
    c.json(find(c.req.query('to') || null, c.req.query('subject') || null).map(withoutContent)),
  );
  control.delete('/mail', (c) => {
    mailbox?.empty();
    return c.json({ emptied: true });
  });

  const pages = new Hono();
  pages.get('/mail', (c) => mailboxPage(find(c.req.query('to') || null, null), c.req.query('to') ?? ''));
  pages.get('/mail/:id', (c) => {
    const letter = mailbox?.get(c.req.param('id'));
    return letter
      ? letterPage(letter)
      : page('No such mail', '<section><h1>There is no such mail</h1></section>', '', 404);
  });
  pages.get('/mail/:id/:at', (c) => {
    const file = mailbox?.get(c.req.param('id'))?.attachments[Number(c.req.param('at'))];
    if (!file) return c.notFound();
    return new Response(Buffer.from(file.content, 'base64'), { headers: { 'content-type': file.contentType } });
  });

  return {
    name: 'mail',
    offset: 5,
    async start(port, host) {
      mailbox = await createMailbox(core, port, host);
    },
    control,
    pages,
    panel: () =>
      `<section><h2>Mailbox</h2><table>${
        find(null, null)
          .slice(0, SHOWN)
          .map(
            (letter) =>
              `<tr><td>${esc(letter.to)}</td><td><a href="/mail/${letter.id}">${esc(letter.subject)}</a></td></tr>`,
          )
          .join('') || '<tr><td>No mail yet.</td></tr>'
      }</table><a class="button quiet" href="/mail">All mail</a></section>`,
    reset: () => mailbox?.empty(),
    close: async () => mailbox?.close(),
  };
}

function withoutContent(letter: Letter): Record<string, unknown> {
  return { ...letter, attachments: letter.attachments.map(({ content: _content, ...one }) => one) };
}
