import { Hono } from 'hono';
import { dollars, esc, page } from '../core/page.ts';
import { specimenPage } from '../licence/licence.ts';
import { letterPage, mailboxPage } from '../mail/mail.ts';
import { createControl, licenceAnswer, type World } from './control.ts';

/** The sandbox for people: everything outside on one page. */
export function createHome(world: World): Hono {
  const { core, stripe, locks, plugs, mailbox } = world;
  const home = new Hono();
  home.route('/api', createControl(world));
  home.get('/licence.jpg', (c) => licenceAnswer(new URL(c.req.url)));
  home.get('/specimens', () => specimenPage());

  home.get('/mail', (c) => mailboxPage(mailbox.find(c.req.query('to') || null, null), c.req.query('to') ?? ''));
  home.get('/mail/:id', (c) => {
    const letter = mailbox.get(c.req.param('id'));
    return letter ? letterPage(letter) : page('No such mail', '<section><h1>There is no such mail</h1></section>');
  });
  home.get('/mail/:id/:at', (c) => {
    const file = mailbox.get(c.req.param('id'))?.attachments[Number(c.req.param('at'))];
    return file
      ? new Response(Buffer.from(file.content, 'base64'), { headers: { 'content-type': file.contentType } })
      : c.notFound();
  });

  home.get('/doors/:id', (c) => doorPage(world, c.req.param('id'), null));
  home.post('/doors/:id', async (c) => {
    const lock = locks.get(c.req.param('id'));
    const form = new URLSearchParams(await c.req.text());
    return doorPage(world, c.req.param('id'), lock ? locks.press(lock, (form.get('pin') ?? '').trim()) : null);
  });

  home.get('/', () => {
    stripe.expireDue();
    const letters = mailbox.find(null, null).slice(0, 5);
    const payments = Object.values(stripe.ledger.sessions).toReversed().slice(0, 5);
    return page(
      'Sandbox',
      `<h1>The pretended outside world</h1><p class="note">Its time: ${esc(core.now().toISOString())}. Scripts find the same under <code>/api</code>.</p>
<section><h2>Mailbox</h2><table>${letters.map((letter) => `<tr><td>${esc(letter.to)}</td><td><a href="/mail/${letter.id}">${esc(letter.subject)}</a></td></tr>`).join('') || '<tr><td>No mail yet.</td></tr>'}</table><a class="button quiet" href="/mail">All mail</a></section>
<section><h2>Doors</h2><table>${locks.all.map((lock) => `<tr><td>${esc(lock.name)}</td><td>${lock.id}</td><td>${lock.codes.length} codes</td><td><a href="/doors/${lock.id}">Stand at the door</a></td></tr>`).join('')}</table></section>
<section><h2>Lights</h2><table>${plugs
        .list()
        .map(
          (plug) =>
            `<tr><td>${esc(plug.id)}</td><td class="${plug.on ? 'good' : ''}">${plug.on ? 'on' : 'off'}</td></tr>`,
        )
        .join('')}</table></section>
<section><h2>Payments</h2><table>${payments.map((one) => `<tr><td>${dollars(one.amount_total)}</td><td>${esc(one.description)}</td><td>${one.status} / ${one.payment_status}</td></tr>`).join('') || '<tr><td>No payments yet.</td></tr>'}</table></section>
<section><h2>Licences</h2><p>Pictures to try the ID check with.</p><a class="button quiet" href="/specimens">Specimen licences</a></section>`,
    );
  });
  return home;
}

function doorPage(world: World, id: string, result: { opened: boolean; reason: string } | null): Response {
  const lock = world.locks.get(id);
  if (!lock) return page('No such door', '<section><h1>There is no such door</h1></section>');
  const said = result
    ? `<p role="status" class="big ${result.opened ? 'good' : 'bad'}">${result.opened ? 'The door opens' : 'The door stays shut'}</p><p>${esc(result.reason)}</p>`
    : '<p role="status">The lamp is dark.</p>';
  const log = lock.log
    .slice(0, 10)
    .map((entry) => `<tr><td>${esc(entry.at)}</td><td>${entry.opened ? 'opened' : esc(entry.reason)}</td></tr>`)
    .join('');
  return page(
    `Door of ${lock.name}`,
    `<section><h1>Door of ${esc(lock.name)}</h1>${said}<form method="post"><label for="pin">PIN</label><input id="pin" name="pin" inputmode="numeric" autocomplete="off" pattern="[0-9]{1,10}" maxlength="10" autofocus style="font-size:30px;letter-spacing:8px"><button>Enter</button></form></section><section><h2>Log</h2><table>${log || '<tr><td>Nobody was here.</td></tr>'}</table></section>`,
  );
}
