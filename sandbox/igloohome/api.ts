import { randomUUID } from 'node:crypto';
import type { Core } from '../core/core.ts';
import { type CodeKind, type Lock, type Locks, PINS_MAX } from './locks.ts';

const BRIDGE = 'EB1X00001';
const SCOPES = [
  'algopin-hourly',
  'algopin-daily',
  'algopin-permanent',
  'algopin-onetime',
  'create-pin-bridge-proxied-job',
  'delete-pin-bridge-proxied-job',
  'get-devices',
  'get-job-status',
  'get-device-status-bridge-proxied-job',
  'get-battery-level-bridge-proxied-job',
  'get-activity-logs-bridge-proxied-job',
  'get-device-activity',
].map((scope) => `igloohomeapi/${scope}`);
const HOUR = 3_600_000;
const JOB_MS = 250;

type Job = {
  id: string;
  lockId: string;
  jobType: number;
  data: Record<string, unknown>;
  status: number | null;
  expires: string;
};
const no = (status: number, message: string): Response => Response.json({ message }, { status });

/** The vendor's cloud: tokens, devices, codes computed by the locks, and jobs for the bridge, with its own refusals. */
export function createIgloohomeApi(parts: {
  core: Core;
  locks: Locks;
  clientId: string;
  clientSecret: string;
}): (request: Request) => Promise<Response> {
  const { core, locks } = parts;
  const tokens = new Map<string, number>();
  const jobs = new Map<string, Job>();

  async function token(request: Request): Promise<Response> {
    const wanted = `Basic ${Buffer.from(`${parts.clientId}:${parts.clientSecret}`).toString('base64')}`;
    if (request.headers.get('authorization') !== wanted)
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    const form = new URLSearchParams(await request.text());
    if (form.get('grant_type') !== 'client_credentials')
      return Response.json({ error: 'unsupported_grant_type' }, { status: 400 });
    if ((form.get('scope') ?? '').split(' ').some((scope) => scope !== '' && !SCOPES.includes(scope)))
      return Response.json({ error: 'invalid_scope' }, { status: 400 });
    const value = `sandbox.${randomUUID()}`;
    tokens.set(value, core.now().getTime() + 86_400_000);
    return Response.json({ access_token: value, expires_in: 86_400, token_type: 'Bearer' });
  }

  function device(lock: Lock): Record<string, unknown> {
    return {
      id: lock.id,
      type: 'Lock',
      deviceId: lock.id,
      deviceName: lock.name,
      pairedAt: '2025-09-01T00:00:00.000Z',
      homeId: ['home-1'],
      linkedDevices: [{ type: 'Bridge', deviceId: BRIDGE }],
      batteryLevel: lock.battery,
    };
  }

  function algopin(lock: Lock, kind: CodeKind, body: Record<string, unknown>): Response {
    const variance = Number(body['variance']);
    if (!Number.isInteger(variance) || variance < 1 || variance > (kind === 'onetime' ? 5 : 3))
      return no(400, 'variance is out of range');
    const start = instant(body['startDate'], HOUR);
    if (start === null) return no(400, 'startDate must be YYYY-MM-DDTHH:00:00+hh:mm');
    if (start < floor(Date.now()) && start < floor(core.now().getTime())) return no(400, 'startDate is in the past');
    const name = body['accessName'];
    if (typeof name !== 'string' || name === '' || name.length > 60)
      return no(400, 'accessName is needed, at most 60 characters');
    const end = kind === 'hourly' || kind === 'daily' ? instant(body['endDate'], HOUR) : null;
    if (kind === 'hourly' && (end === null || end - start < HOUR || end - start > 672 * HOUR))
      return no(400, 'endDate must be 1 to 672 hours after startDate');
    if (kind === 'daily' && (end === null || end - start < 29 * 24 * HOUR || end - start > 367 * 24 * HOUR))
      return no(400, 'endDate must be 29 to 367 days after startDate');
    if (lock.codes.length >= PINS_MAX) return no(400, 'the lock holds 199 codes already');
    const pin = locks.compute(
      lock,
      kind,
      new Date(start).toISOString(),
      end === null ? '' : new Date(end).toISOString(),
      variance,
    );
    locks.add(lock, { pin, kind, startsAt: start, endsAt: kind === 'onetime' ? start + 24 * HOUR : end, name });
    return Response.json({ pin, pinId: `${lock.id}-${kind}-${start}-${variance}` });
  }

  function startJob(lock: Lock, bridgeId: string, body: Record<string, unknown>): Response {
    if (bridgeId !== BRIDGE) return no(404, 'no such bridge');
    const jobType = Number(body['jobType']);
    if (![1, 2, 4, 5, 9, 10, 15].includes(jobType)) return no(400, 'jobType is not known');
    const given = body['jobData'];
    const data: Record<string, unknown> =
      given !== null && typeof given === 'object' ? Object.fromEntries(Object.entries(given)) : {};
    if (jobType === 4) {
      const wrong = badCode(data);
      if (wrong !== null) return no(400, wrong);
    }
    if (jobType === 5 && typeof data['pin'] !== 'string') return no(400, 'jobData.pin is needed');
    const job: Job = {
      id: randomUUID(),
      lockId: lock.id,
      jobType,
      data,
      status: null,
      expires: new Date(Date.now() + 60_000).toISOString(),
    };
    jobs.set(job.id, job);
    setTimeout(() => finish(job, lock), JOB_MS).unref();
    return Response.json({ jobId: job.id }, { status: 201 });
  }

  function badCode(data: Record<string, unknown>): string | null {
    if (typeof data['pin'] !== 'string' || !/^\d{4,10}$/.test(data['pin'])) return 'pin must have 4 to 10 digits';
    if (data['pinType'] !== 4) return 'pinType must be 4';
    if (typeof data['accessName'] !== 'string' || data['accessName'] === '' || data['accessName'].length > 60)
      return 'accessName is needed';
    const start = instant(data['startDate'], 60_000);
    const end = instant(data['endDate'], 60_000);
    if (start === null || end === null || end <= start) return 'startDate and endDate must be whole minutes, in order';
    return start < floor(Date.now()) && start < floor(core.now().getTime())
      ? 'startDate is before the current hour'
      : null;
  }

  function finish(job: Job, lock: Lock): void {
    if (job.jobType === 4) {
      const pin = String(job.data['pin']);
      const start = instant(job.data['startDate'], 60_000) ?? 0;
      const end = instant(job.data['endDate'], 60_000) ?? 0;
      const clash = lock.codes.some((code) => code.pin === pin && (code.startsAt !== start || code.endsAt !== end));
      if (clash || lock.codes.length >= PINS_MAX) job.status = 2;
      else locks.add(lock, { pin, kind: 'bridge', startsAt: start, endsAt: end, name: String(job.data['accessName']) });
    }
    if (job.jobType === 5) locks.forget(lock, String(job.data['pin']));
    job.status ??= 0;
    locks.report(lock.id, 3, { jobId: job.id, jobType: job.jobType, jobStatus: job.status });
  }

  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/oauth2/token' && request.method === 'POST') return token(request);
    const bearer = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (!((tokens.get(bearer) ?? 0) > core.now().getTime())) return no(401, 'Unauthorized');
    const [, area, second, third = '', kind = '', part = '', bridgeId = ''] = pathname.split('/');
    if (area !== 'igloohome') return no(404, 'not found');
    if (second === 'jobs') {
      const job = jobs.get(third);
      return job
        ? Response.json({
            jobId: job.id,
            expiryDate: job.expires,
            completed: job.status !== null,
            jobType: job.jobType,
            jobResponse: job.status === null ? null : { jobStatus: job.status },
          })
        : no(404, 'no such job');
    }
    if (second !== 'devices') return no(404, 'not found');
    if (third === '') {
      const others = [
        { type: 'Bridge', id: BRIDGE, name: 'Bridge' },
        { type: 'Keypad', id: 'EK1X00001', name: 'Keypad' },
      ].map((one) => ({
        id: one.id,
        type: one.type,
        deviceId: one.id,
        deviceName: one.name,
        pairedAt: '2025-09-01T00:00:00.000Z',
        homeId: ['home-1'],
        linkedDevices: [],
        batteryLevel: null,
      }));
      return Response.json({ nextCursor: null, payload: [...locks.all.map(device), ...others] });
    }
    const lock = locks.get(third);
    if (!lock) return no(404, 'no such device');
    if (kind === '' && request.method === 'GET') return Response.json(device(lock));
    if (kind === 'activity') return Response.json({ nextCursor: null, payload: lock.log });
    if (request.method !== 'POST') return no(405, 'use POST');
    const sent: unknown = await request.json().catch(() => null);
    if (sent === null || typeof sent !== 'object') return no(400, 'a JSON body is needed');
    const body: Record<string, unknown> = Object.fromEntries(Object.entries(sent));
    if (kind === 'algopin' && (part === 'onetime' || part === 'hourly' || part === 'daily' || part === 'permanent'))
      return algopin(lock, part, body);
    if (kind === 'jobs' && part === 'bridges') return startJob(lock, bridgeId, body);
    return no(404, 'not found');
  };
}

const floor = (time: number): number => Math.floor(time / HOUR) * HOUR;

/** `2026-11-21T18:00:00+11:00`, a whole number of steps; null for anything else. */
function instant(value: unknown, step: number): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00[+-]\d{2}:\d{2}$/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) || time % step !== 0 ? null : time;
}
