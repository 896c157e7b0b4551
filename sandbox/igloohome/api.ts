import { algopinKinds, readAlgopin } from './algopin.ts';
import type { Doors } from './doors.ts';
import { type Jobs, statusOf } from './jobs.ts';
import { BRIDGE_ID, HOME_ID, type Job, KEYPAD_ID, type Lock, type Site } from './site.ts';
import type { Scope, Tokens } from './tokens.ts';

export const bridgeOffline = (): Response => no(406, 'Bridge is unreachable');
const no = (status: number, message: string): Response => Response.json({ message }, { status });

const JOB_SCOPES: Readonly<Record<number, Scope>> = {
  1: 'lock-bridge-proxied-job',
  2: 'unlock-bridge-proxied-job',
  4: 'create-pin-bridge-proxied-job',
  5: 'delete-pin-bridge-proxied-job',
  9: 'get-battery-level-bridge-proxied-job',
  10: 'get-device-status-bridge-proxied-job',
  15: 'get-activity-logs-bridge-proxied-job',
};
const PAIRED_AT = '2025-09-01T00:00:00.000Z';
const PAGE_MAX = 100;

/** The vendor's cloud API: `/oauth2/token` and everything under `/igloohome`, as strict as the real one. */
export function createApi(dependencies: {
  site: Site;
  doors: Doors;
  jobs: Jobs;
  tokens: Tokens;
}): (request: Request) => Promise<Response> {
  const { site, doors, jobs, tokens } = dependencies;

  async function algopin(request: Request, lockId: string, kindName: string): Promise<Response> {
    const kind = algopinKinds.find((one) => one === kindName);
    if (!kind) return no(404, 'No such kind of code');
    const refused = tokens.refuse(request, `algopin-${kind}`);
    if (refused) return refused;
    const lock = lockOf(lockId);
    if (lock instanceof Response) return lock;
    const body = await readBody(request);
    if (body instanceof Response) return body;
    const code = readAlgopin(lock.id, kind, body, Date.now());
    if (typeof code === 'string') return no(400, code);
    const { variance, ...rest } = code;
    const result = doors.store(lock, rest);
    if (result !== 'stored')
      return no(400, result === 'full' ? 'The lock holds 199 codes already' : 'The lock knows this code already');
    return Response.json({ pin: code.pin, pinId: `${lock.id}-${kind}-${code.startsAt}-${variance}` });
  }

  async function startJob(request: Request, lockId: string, bridgeId: string): Promise<Response> {
    const body = await readBody(request);
    const jobType = body instanceof Response ? null : body['jobType'];
    const scope = typeof jobType === 'number' ? JOB_SCOPES[jobType] : undefined;
    const refused = tokens.refuse(request, scope ?? 'get-job-status');
    if (refused) return refused;
    if (body instanceof Response) return body;
    const lock = lockOf(lockId);
    if (lock instanceof Response) return lock;
    if (bridgeId !== BRIDGE_ID) return no(404, 'No such bridge');
    if (!doors.online()) return bridgeOffline();
    const data = body['jobData'];
    const job = jobs.start(
      lock,
      jobType,
      data !== null && typeof data === 'object' ? Object.fromEntries(Object.entries(data)) : {},
    );
    return typeof job === 'string' ? no(400, job) : Response.json({ jobId: job.id }, { status: 201 });
  }

  function lockOf(id: string): Lock | Response {
    const lock = doors.find(id);
    if (lock) return lock;
    return id === BRIDGE_ID || id === KEYPAD_ID
      ? no(400, 'This device is not a lock: use the linked lock')
      : no(404, 'No such device');
  }

  function activity(lock: Lock, url: URL): Response {
    const size = Math.min(Math.max(Number(url.searchParams.get('pageSize')) || 20, 1), PAGE_MAX);
    const from = Math.max(Number(url.searchParams.get('cursor')) || 0, 0);
    // The cloud knows only the entries that the bridge has sent.
    const sentEntries = lock.log.filter((entry) => entry.sent);
    return Response.json({
      nextCursor: from + size < sentEntries.length ? String(from + size) : null,
      payload: sentEntries
        .slice(from, from + size)
        .map(({ logType, entryDate, pin }) => ({ deviceId: lock.id, logType, entryDate, pin })),
    });
  }

  function read(request: Request, scope: Scope, answer: () => Response): Response {
    return tokens.refuse(request, scope) ?? answer();
  }

  return async (request) => {
    const url = new URL(request.url);
    const segments = url.pathname.split('/').slice(1);
    const method = request.method;
    if (url.pathname === '/oauth2/token') return method === 'POST' ? tokens.answer(request) : no(405, 'Use POST');
    const [area, noun, id = '', kind, part = '', bridgeId = ''] = segments;
    if (area !== 'igloohome') return no(404, 'Not found');
    const shape = `${method} ${[noun, id && ':id', kind].filter(Boolean).join('/')}`;
    switch (shape) {
      case 'GET devices':
        return read(request, 'get-devices', () => Response.json({ nextCursor: null, payload: devices(site) }));
      case 'GET devices/:id': {
        const device = devices(site).find((one) => one['deviceId'] === id);
        return read(request, 'get-devices', () => (device ? Response.json(device) : no(404, 'No such device')));
      }
      case 'GET devices/:id/activity': {
        const lock = lockOf(id);
        return read(request, 'get-device-activity', () => (lock instanceof Response ? lock : activity(lock, url)));
      }
      case 'GET jobs/:id': {
        const job = jobs.find(id);
        return read(request, 'get-job-status', () => (job ? Response.json(describeJob(job)) : no(404, 'No such job')));
      }
      case 'GET properties':
        return read(request, 'get-properties', () =>
          Response.json({ nextCursor: null, payload: [{ id: HOME_ID, name: 'The studios' }] }),
        );
      case 'POST devices/:id/algopin':
        return algopin(request, id, part);
      case 'POST devices/:id/jobs':
        return part === 'bridges' ? startJob(request, id, bridgeId) : no(404, 'Not found');
      // Locks compute these codes offline, so the cloud cannot delete one.
      case 'DELETE devices/:id/algopin':
        return tokens.refuse(request, 'get-devices') ?? no(405, 'A computed code cannot be deleted');
      default:
        return tokens.refuse(request, 'get-devices') ?? no(404, 'Not found');
    }
  };
}

function describeJob(job: Job): Record<string, unknown> {
  return {
    jobId: job.id,
    expiryDate: new Date(job.expiresAt).toISOString(),
    completed: job.end !== null,
    jobType: job.jobType,
    jobResponse:
      job.end === null ? null : { jobStatus: statusOf(job.end), ...(job.result && { opResult: job.result }) },
  };
}

function devices(site: Site): Record<string, unknown>[] {
  const device = (type: string, id: string, name: string, linked: unknown[], battery: number | null) => ({
    id,
    type,
    deviceId: id,
    deviceName: name,
    pairedAt: PAIRED_AT,
    homeId: [HOME_ID],
    linkedDevices: linked,
    batteryLevel: battery,
  });
  const first = site.locks[0];
  return [
    ...site.locks.map((lock) =>
      device('Lock', lock.id, lock.name, [{ type: 'Bridge', deviceId: BRIDGE_ID }], lock.battery),
    ),
    device(
      'Bridge',
      BRIDGE_ID,
      'Bridge',
      site.locks.map((lock) => ({ type: 'Lock', deviceId: lock.id })),
      null,
    ),
    device('Keypad', KEYPAD_ID, 'Keypad', first ? [{ type: 'Lock', deviceId: first.id }] : [], 88),
  ];
}

async function readBody(request: Request): Promise<Record<string, unknown> | Response> {
  if (!(request.headers.get('content-type') ?? '').startsWith('application/json'))
    return no(415, 'The body must be application/json');
  const sent: unknown = await request.json().catch(() => null);
  return sent !== null && typeof sent === 'object' && !Array.isArray(sent)
    ? Object.fromEntries(Object.entries(sent))
    : no(400, 'A JSON body is needed');
}
