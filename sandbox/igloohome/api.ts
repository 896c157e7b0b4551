import { algopinKinds, readAlgopin } from './algopin.ts';
import { describeDevices } from './devices.ts';
import type { Doors } from './doors.ts';
import { type Jobs, toStatus } from './jobs.ts';
import { BRIDGE_ID, HOME_ID, type Job, KEYPAD_ID, type Lock, type Site } from './site.ts';
import type { Scope, Tokens } from './tokens.ts';

export type ApiContext = { readonly site: Site; readonly doors: Doors; readonly jobs: Jobs; readonly tokens: Tokens };

export const bridgeOffline = (): Response => refuse(406, 'Bridge is unreachable');
const refuse = (status: number, message: string): Response => Response.json({ message }, { status });

const JOB_SCOPES: Readonly<Record<number, Scope>> = {
  1: 'lock-bridge-proxied-job',
  2: 'unlock-bridge-proxied-job',
  4: 'create-pin-bridge-proxied-job',
  5: 'delete-pin-bridge-proxied-job',
  9: 'get-battery-level-bridge-proxied-job',
  10: 'get-device-status-bridge-proxied-job',
  15: 'get-activity-logs-bridge-proxied-job',
};
/** Page size of the list of devices. It is small, so that every client has to follow the cursor. */
const DEVICES_PER_PAGE = 4;
const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;

/** The vendor's cloud API: `/oauth2/token` and everything under `/igloohome`, as strict as the real one. */
export async function handleApi(context: ApiContext, request: Request): Promise<Response> {
  const { site, jobs, tokens } = context;
  const url = new URL(request.url);
  const { method } = request;
  if (url.pathname === '/oauth2/token') return method === 'POST' ? tokens.issue(request) : refuse(405, 'Use POST');
  const [area, noun, id = '', kind, part = '', bridgeId = ''] = url.pathname.split('/').slice(1);
  if (area !== 'igloohome') return refuse(404, 'Not found');
  const allowed = (scope: Scope, respond: () => Response): Response => tokens.refuse(request, scope) ?? respond();
  switch (`${method} ${[noun, id && ':id', kind].filter(Boolean).join('/')}`) {
    case 'GET devices':
      return allowed('get-devices', () => listDevices(site, url.searchParams.get('cursor')));
    case 'GET devices/:id':
      return allowed('get-devices', () => {
        const device = describeDevices(site).find((device) => device.deviceId === id);
        return device ? Response.json(device) : refuse(404, 'No such device');
      });
    case 'GET devices/:id/activity':
      return allowed('get-device-activity', () => listActivity(context, id, url.searchParams));
    case 'GET jobs/:id':
      return allowed('get-job-status', () => {
        const job = jobs.find(id);
        return job ? Response.json(describeJob(job)) : refuse(404, 'No such job');
      });
    case 'GET properties':
      return allowed('get-properties', () =>
        Response.json({ nextCursor: null, payload: [{ id: HOME_ID, name: 'The studios' }] }),
      );
    case 'POST devices/:id/algopin':
      return computeCode(context, request, id, part);
    case 'POST devices/:id/jobs':
      return part === 'bridges' ? startJob(context, request, id, bridgeId) : refuse(404, 'Not found');
    // Locks compute these codes offline, so the cloud cannot delete one.
    case 'DELETE devices/:id/algopin':
      return allowed('get-devices', () => refuse(405, 'A computed code cannot be deleted'));
    default:
      return allowed('get-devices', () => refuse(404, 'Not found'));
  }
}

/** `GET /devices`: one page of devices, from the cursor of the previous page. */
function listDevices(site: Site, cursor: string | null): Response {
  const devices = describeDevices(site);
  const from = cursor === null ? 0 : devices.findIndex(({ deviceId }) => deviceId === cursor);
  if (from < 0) return refuse(400, 'No such cursor');
  const next = devices[from + DEVICES_PER_PAGE];
  return Response.json({
    nextCursor: next?.deviceId ?? null,
    payload: devices.slice(from, from + DEVICES_PER_PAGE),
  });
}

/** `POST /devices/:id/algopin/:kind` */
async function computeCode(
  { doors, tokens }: ApiContext,
  request: Request,
  lockId: string,
  kindName: string,
): Promise<Response> {
  const kind = algopinKinds.find((kind) => kind === kindName);
  if (!kind) return refuse(404, 'No such kind of code');
  const refused = tokens.refuse(request, `algopin-${kind}`);
  if (refused) return refused;
  const lock = findLock(doors, lockId);
  if (lock instanceof Response) return lock;
  const body = await readBody(request);
  if (body instanceof Response) return body;
  const code = readAlgopin(lock.id, kind, body, Date.now());
  if (typeof code === 'string') return refuse(400, code);
  const { variance, ...rest } = code;
  const result = doors.store(lock, rest);
  if (result === 'full') return refuse(400, 'The lock has no room for another code: it stores 199');
  if (result === 'taken') return refuse(400, 'The lock has this code already');
  return Response.json({ pin: code.pin, pinId: `${lock.id}-${kind}-${code.startsAt}-${variance}` });
}

/** `POST /devices/:id/jobs/bridges/:bridgeId` */
async function startJob(
  { doors, jobs, tokens }: ApiContext,
  request: Request,
  lockId: string,
  bridgeId: string,
): Promise<Response> {
  const body = await readBody(request);
  const jobType = body instanceof Response ? null : body['jobType'];
  const scope = typeof jobType === 'number' ? JOB_SCOPES[jobType] : undefined;
  const refused = tokens.refuse(request, scope ?? 'get-job-status');
  if (refused) return refused;
  if (body instanceof Response) return body;
  const lock = findLock(doors, lockId);
  if (lock instanceof Response) return lock;
  if (bridgeId !== BRIDGE_ID) return refuse(404, 'No such bridge');
  if (!doors.online()) return bridgeOffline();
  const data = body['jobData'];
  const job = jobs.start(
    lock,
    jobType,
    data !== null && typeof data === 'object' ? Object.fromEntries(Object.entries(data)) : {},
  );
  return typeof job === 'string' ? refuse(400, job) : Response.json({ jobId: job.id }, { status: 201 });
}

/** `GET /devices/:id/activity`: the log entries that the bridge has sent to the cloud. */
function listActivity({ doors }: ApiContext, lockId: string, query: URLSearchParams): Response {
  const lock = findLock(doors, lockId);
  if (lock instanceof Response) return lock;
  const size = Math.min(Math.max(Number(query.get('pageSize')) || PAGE_SIZE, 1), PAGE_SIZE_MAX);
  const from = Math.max(Number(query.get('cursor')) || 0, 0);
  const entries = lock.log.filter((entry) => entry.sent);
  return Response.json({
    nextCursor: from + size < entries.length ? String(from + size) : null,
    payload: entries
      .slice(from, from + size)
      .map(({ logType, entryDate, pin }) => ({ deviceId: lock.id, logType, entryDate, pin })),
  });
}

function findLock(doors: Doors, id: string): Lock | Response {
  const lock = doors.find(id);
  if (lock) return lock;
  return id === BRIDGE_ID || id === KEYPAD_ID
    ? refuse(400, 'This device is not a lock: use the linked lock')
    : refuse(404, 'No such device');
}

function describeJob(job: Job): Record<string, unknown> {
  return {
    jobId: job.id,
    expiryDate: new Date(job.expiresAt).toISOString(),
    completed: job.end !== null,
    jobType: job.jobType,
    jobResponse:
      job.end === null ? null : { jobStatus: toStatus(job.end), ...(job.result && { opResult: job.result }) },
  };
}

async function readBody(request: Request): Promise<Record<string, unknown> | Response> {
  if (!(request.headers.get('content-type') ?? '').startsWith('application/json'))
    return refuse(415, 'The body must be application/json');
  const sent: unknown = await request.json().catch(() => null);
  return sent !== null && typeof sent === 'object' && !Array.isArray(sent)
    ? Object.fromEntries(Object.entries(sent))
    : refuse(400, 'A JSON body is needed');
}
