import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc, page } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { type ApiContext, bridgeOffline, handleApi } from './api.ts';
import { doorPage } from './door-page.ts';
import { createDoors, type Doors } from './doors.ts';
import { createJobs } from './jobs.ts';
import { liveCodes } from './lock-rules.ts';
import { createReports, type Reports } from './reports.ts';
import { BRIDGE_ID, JOB_MS, loadSite, resetSite, type Site } from './site.ts';
import { createTokens } from './tokens.ts';

const PIN = /^\d{1,10}$/;
const JOB_MS_MAX = 60_000;

/** Simulates igloohome: its cloud on the provider's port, a page for each door on the home port. */
export function createIgloohome(core: Core): Provider {
  const site = loadSite(core);
  const reports = createReports(core, `${core.webhookTarget}/functions/v1/igloohome-webhook`, site.privateKey);
  const doors = createDoors(core, site, reports);
  const jobs = createJobs(core, site, doors, reports);
  const tokens = createTokens(core, { id: 'sandbox-client', secret: 'sandbox-secret' }, site.tokenKey);
  const api: ApiContext = { site, doors, jobs, tokens };
  return {
    name: 'igloohome',
    offset: 2,
    handle: (request) => handleApi(api, request),
    // Only requests for the bridge fail while it is offline.
    offline: (request) => (/\/jobs\/bridges\//.test(new URL(request.url).pathname) ? bridgeOffline() : null),
    control: createControl(core, site, doors, reports),
    pages: createPages(core, doors),
    panel: () => panel(core, site, doors),
    reset() {
      resetSite(site);
      doors.runDue();
    },
    runDue() {
      jobs.runDue();
      doors.runDue();
    },
    close: async () => jobs.close(),
  };
}

function createControl(core: Core, site: Site, doors: Doors, reports: Reports): Hono {
  const api = new Hono();
  api.get('/doors', (c) => c.json(site.locks.map((lock) => describeLock(core, lock, doors))));
  api.get('/doors/webhook-key', (c) => c.text(reports.publicKey));
  api.post('/doors/bridge', async (c) => {
    const { online, job_ms: jobMs, next_job: nextJob } = await readBody(c.req.raw);
    if (online !== undefined && typeof online !== 'boolean') return refusal('online is true or false');
    if (jobMs !== undefined && !(typeof jobMs === 'number' && jobMs >= 0 && jobMs <= JOB_MS_MAX))
      return refusal(`job_ms is from 0 to ${JOB_MS_MAX}; it starts as ${JOB_MS}`);
    if (nextJob !== undefined && nextJob !== 'failed' && nextJob !== 'expired')
      return refusal('next_job is one of failed, expired');
    if (jobMs !== undefined) site.bridge.jobMs = jobMs;
    if (nextJob !== undefined) site.bridge.forcedEnds.push(nextJob);
    if (online !== undefined) doors.setOnline(online);
    core.state.changed();
    const { jobMs: job_ms, forcedEnds: next_jobs } = site.bridge;
    return c.json({ id: BRIDGE_ID, online: doors.online(), job_ms, next_jobs });
  });
  api.post('/doors/:id', async (c) => {
    const lock = doors.find(c.req.param('id'));
    if (!lock) return refusal('no such lock', 404);
    const { battery } = await readBody(c.req.raw);
    if (!(typeof battery === 'number' && Number.isInteger(battery) && battery >= 0 && battery <= 100))
      return refusal('battery is a whole number from 0 to 100');
    lock.battery = battery;
    core.state.changed();
    return c.json(describeLock(core, lock, doors));
  });
  api.post('/doors/:id/keypad', async (c) => {
    const lock = doors.find(c.req.param('id'));
    if (!lock) return refusal('no such lock', 404);
    const { pin } = await readBody(c.req.raw);
    if (typeof pin !== 'string' || !PIN.test(pin)) return refusal('pin is a text of 1 to 10 digits');
    return c.json(doors.press(lock, pin));
  });
  return api;
}

function describeLock(core: Core, lock: Site['locks'][number], doors: Doors): Record<string, unknown> {
  return {
    id: lock.id,
    name: lock.name,
    battery: lock.battery,
    bridge: BRIDGE_ID,
    bridge_online: doors.online(),
    opened_from_afar: lock.openedFromAfar ?? 0,
    codes: liveCodes(lock.codes, core.now().getTime()).length,
    log: lock.log.map(({ logType, entryDate, opened, reason }) => ({
      at: new Date(entryDate * 1000).toISOString(),
      logType,
      opened,
      reason,
    })),
  };
}

function createPages(core: Core, doors: Doors): Hono {
  const app = new Hono();
  const notFound = (): Response =>
    page('Door not found', '<section><h1>Door not found</h1><a href="/">Home</a></section>', '', 404);
  app.get('/doors/:id', (c) => {
    const lock = doors.find(c.req.param('id'));
    return lock ? doorPage(lock, core.now(), null) : notFound();
  });
  app.post('/doors/:id', async (c) => {
    const lock = doors.find(c.req.param('id'));
    if (!lock) return notFound();
    const pin = (new URLSearchParams(await c.req.text()).get('pin') ?? '').replace(/\s/g, '');
    const result = PIN.test(pin) ? doors.press(lock, pin) : { opened: false, reason: 'a PIN has 1 to 10 digits' };
    return doorPage(lock, core.now(), result);
  });
  return app;
}

function panel(core: Core, site: Site, doors: Doors): string {
  const rows = site.locks
    .map((lock) => {
      const count = liveCodes(lock.codes, core.now().getTime()).length;
      const last = lock.log[0];
      const lastText = last ? (last.opened ? 'opened' : last.reason) : 'no entries yet';
      return `<tr><td><a href="/doors/${lock.id}">Open the keypad of ${esc(lock.name)}</a></td><td>${count} ${count === 1 ? 'code' : 'codes'}; ${esc(lastText)}</td></tr>`;
    })
    .join('');
  const bridge = doors.online() ? '<span class="good">online</span>' : '<span class="bad">offline</span>';
  return `<section><h2>Doors</h2><p>Bridge ${BRIDGE_ID}: ${bridge}</p><table>${rows}</table></section>`;
}
