import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { createMailStore, type ReceivedMail } from './store.ts';
import { createMailPages, mailRows } from './pages.ts';
import { createSmtp } from './smtp.ts';

const SHOWN = 5;

/** Simulates mail: an SMTP server on its port, the mailbox on the home port. */
export function createMail(core: Core): Provider {
  const mails = createMailStore();
  const smtp = createSmtp(core, mails);

  const control = new Hono();
  control.get('/mail', (c) =>
    c.json(mails.find(c.req.query('to') || null, c.req.query('subject') || null).map(withoutBytes)),
  );
  control.delete('/mail', (c) => {
    mails.clear();
    return c.json({ emptied: true });
  });

  return {
    name: 'mail',
    offset: 5,
    start: (port, host) => smtp.start(port, host),
    control,
    pages: createMailPages(mails),
    panel() {
      const rows = mailRows(mails.find(null, null).slice(0, SHOWN));
      return `<section><h2>Mailbox</h2>${rows ? `<table>${rows}</table>` : '<p>No mail yet.</p>'}<a class="button quiet" href="/mail">All mail</a></section>`;
    },
    reset: () => mails.clear(),
    close: () => smtp.close(),
  };
}

function withoutBytes(mail: ReceivedMail): Record<string, unknown> {
  const attachments = mail.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
  return { ...mail, attachments };
}
