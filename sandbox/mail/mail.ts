import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { createLetters, type Letter } from './letters.ts';
import { createMailPages, letterRows } from './pages.ts';
import { createSmtp } from './smtp.ts';

const SHOWN = 5;

/** The mail server on its port, and its mailbox on the home port. */
export function createMail(core: Core): Provider {
  const letters = createLetters();
  const smtp = createSmtp(core, letters);

  const control = new Hono();
  control.get('/mail', (c) =>
    c.json(letters.find(c.req.query('to') || null, c.req.query('subject') || null).map(withoutBytes)),
  );
  control.delete('/mail', (c) => {
    letters.clear();
    return c.json({ emptied: true });
  });

  return {
    name: 'mail',
    offset: 5,
    start: (port, host) => smtp.start(port, host),
    control,
    pages: createMailPages(letters),
    panel() {
      const rows = letterRows(letters.find(null, null).slice(0, SHOWN));
      return `<section><h2>Mailbox</h2>${rows ? `<table>${rows}</table>` : '<p>No mail yet.</p>'}<a class="button quiet" href="/mail">All mail</a></section>`;
    },
    reset: () => letters.clear(),
    close: () => smtp.close(),
  };
}

function withoutBytes(letter: Letter): Record<string, unknown> {
  const attachments = letter.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
  return { ...letter, attachments };
}
