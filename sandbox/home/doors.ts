import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc, page } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createIgloohomeApi } from '../igloohome/api.ts';
import { createLocks, type Lock, type Locks } from '../igloohome/locks.ts';

const BRIDGE = 'EB1X00001';

/** The locks' cloud on its port, and the doors people stand at on the home port. */
export function createIgloohome(core: Core): Provider {
  const locks = createLocks({
    core,
    state: core.state,
    webhookUrl: `${core.webhookTarget}/functions/v1/igloohome-webhook`,
  });
  return {
    name: 'igloohome',
    offset: 2,
    handle: createIgloohomeApi({ core, locks, clientId: 'sandbox-client', clientSecret: 'sandbox-secret' }),
    // Only what goes through the bridge notices that it is away (providers, section 3.3).
    offline: (request) =>
      /\/jobs\/bridges\//.test(new URL(request.url).pathname)
        ? Response.json({ message: 'Bridge is unreachable' }, { status: 406 })
        : null,
    control: control(locks),
    pages: pages(locks),
    panel: () =>
      `<section><h2>Doors</h2><table>${locks.all.map((lock) => `<tr><td>${esc(lock.name)}</td><td>${lock.id}</td><td>${lock.codes.length} codes</td><td><a href="/doors/${lock.id}">Stand at the door of ${esc(lock.name)}</a></td></tr>`).join('')}</table></section>`,
    reset() {
      for (const lock of locks.all) Object.assign(lock, { codes: [], log: [], wrong: 0, lockedUntil: 0 });
    },
  };
}

function control(locks: Locks): Hono {
  const api = new Hono();
  api.get('/doors', (c) =>
    c.json(
      locks.all.map((lock) => ({
        id: lock.id,
        name: lock.name,
        battery: lock.battery,
        bridge: BRIDGE,
        codes: lock.codes.length,
        log: lock.log.map(({ pin: _pin, ...entry }) => entry),
      })),
    ),
  );
  api.get('/doors/webhook-key', (c) => c.text(locks.publicKey));
  api.post('/doors/:id/keypad', async (c) => {
    const lock = locks.get(c.req.param('id'));
    if (!lock) return refusal('no such lock', 404);
    const pin = (await readBody(c.req.raw))['pin'];
    if (typeof pin !== 'string' || !/^\d{1,10}$/.test(pin)) return refusal('pin is 1 to 10 digits');
    return c.json(locks.press(lock, pin));
  });
  return api;
}

function pages(locks: Locks): Hono {
  const app = new Hono();
  app.get('/doors/:id', (c) => doorPage(locks.get(c.req.param('id')), null));
  app.post('/doors/:id', async (c) => {
    const lock = locks.get(c.req.param('id'));
    const pin = new URLSearchParams(await c.req.text()).get('pin')?.trim() ?? '';
    return doorPage(lock, lock ? locks.press(lock, pin) : null);
  });
  return app;
}

function doorPage(lock: Lock | null, result: { opened: boolean; reason: string } | null): Response {
  if (!lock) return page('No such door', '<section><h1>There is no such door</h1></section>', '', 404);
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
