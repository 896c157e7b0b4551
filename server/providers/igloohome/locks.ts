import { z } from 'zod';
import { ProviderError } from '../call.ts';
import type { IssuedCode, LockCapabilities, LockDevice, Locks } from '../ports.ts';
import { type CallIgloohome, createIgloohomeClient, type IgloohomeCredentials, parseBody } from './client.ts';

export type IgloohomeConfig = IgloohomeCredentials & {
  /** The bridge that reaches all locks; null if the locks compute codes offline. */
  readonly bridgeId: string | null;
  readonly mode: LockCapabilities['mode'];
};

/** Maximum number of codes of all kinds that a lock stores, according to its maker. */
const STORED_CODES = 199;

const CAPABILITIES: Readonly<Record<LockCapabilities['mode'], LockCapabilities>> = {
  bridge: {
    mode: 'bridge',
    choosesDigits: true,
    remoteOpen: true,
    granularityMinutes: 1,
    singleUse: true,
    endEnforced: true,
    revocable: true,
    codesPerWindow: 20,
    storedCodes: STORED_CODES,
  },
  hourly: {
    mode: 'hourly',
    choosesDigits: false,
    remoteOpen: false,
    granularityMinutes: 60,
    singleUse: false,
    endEnforced: true,
    revocable: false,
    codesPerWindow: 3,
    storedCodes: STORED_CODES,
  },
  onetime: {
    mode: 'onetime',
    choosesDigits: false,
    remoteOpen: false,
    granularityMinutes: 60,
    singleUse: true,
    endEnforced: false,
    revocable: false,
    codesPerWindow: 5,
    storedCodes: STORED_CODES,
  },
};

const pinSchema = z.looseObject({ pin: z.string().regex(/^\d{4,10}$/), pinId: z.string().nullish() });
const jobSchema = z.looseObject({ jobId: z.string() });
/** A reply that states neither how the job ended nor that it is in progress is not a reply about a job. */
const jobStateSchema = z.union([
  z.looseObject({ jobResponse: z.looseObject({ jobStatus: z.number() }) }),
  z.looseObject({
    completed: z.literal(false),
    jobResponse: z.looseObject({ jobStatus: z.null().optional() }).nullish(),
  }),
]);
const devicesSchema = z.looseObject({
  nextCursor: z.string().nullish(),
  payload: z.array(
    z.looseObject({
      deviceId: z.string(),
      deviceName: z.string().nullish(),
      type: z.string().nullish(),
      batteryLevel: z.number().nullish(),
    }),
  ),
});
/** Maximum number of pages of devices: more than any studio's account has. A cursor that never ends is a fault of the provider. */
const DEVICE_PAGES = 50;

const JOB_UNLOCK = 2;
const JOB_CREATE_PIN = 4;
const JOB_DELETE_PIN = 5;
const JOB_STATUS = 10;
/** The reasons for which a lock counts as offline: the bridge has no connection, or the lock did not answer the bridge. */
const UNREACHED: ReadonlySet<string> = new Set(['bridge_offline', 'job_failed', 'job_unanswered']);
const PIN_TYPE_DURATION = 4;
/** States of a bridge's job: 0 means done, 2 and above mean failed. */
const JOB_DONE = 0;
const JOB_FAILED = 2;
const JOB_POLL_MS = 400;
const JOB_WAIT_MS = 20_000;
const NAME_MAX = 32;
const MINUTE = 60_000;
const HOUR = 3_600_000;

type NewCode = Parameters<Locks['issueCode']>[0];
type JobOfBridge = { readonly lockId: string; readonly jobType: number; readonly jobData: Record<string, unknown> };

/** Adapter for igloohome's cloud. It has no public reference: these facts come from its SDK and live integrations. */
export function createIgloohomeLocks(config: IgloohomeConfig): Locks {
  const call = createIgloohomeClient(config);
  const bridgeId = config.bridgeId ?? '';
  const { mode } = config;
  return {
    provider: 'igloohome',
    revocableModes: Object.values(CAPABILITIES).flatMap(({ revocable, mode }) => (revocable ? [mode] : [])),
    capabilities: CAPABILITIES[mode],
    issueCode: (input) => (mode === 'bridge' ? createCode(call, bridgeId, input) : computeCode(call, mode, input)),
    async revokeCode({ lockId, pin }) {
      if (mode !== 'bridge') throw new ProviderError('igloohome', 'not_supported', { retryable: false });
      await runJob(call, bridgeId, { lockId, jobType: JOB_DELETE_PIN, jobData: { pin } });
    },
    async check() {
      return { devices: await listDevices(call) };
    },
    async readStatus({ lockId }) {
      if (config.bridgeId === null) return { online: null };
      try {
        await runJob(call, bridgeId, { lockId, jobType: JOB_STATUS, jobData: {} });
        return { online: true };
      } catch (error) {
        if (error instanceof ProviderError && UNREACHED.has(error.reason)) return { online: false };
        throw error;
      }
    },
    async open({ lockId }) {
      if (config.bridgeId === null) throw new ProviderError('igloohome', 'not_supported', { retryable: false });
      await runJob(call, bridgeId, { lockId, jobType: JOB_UNLOCK, jobData: {} });
    },
  };
}

/** Lists the devices of all pages. */
async function listDevices(call: CallIgloohome): Promise<readonly LockDevice[]> {
  const devices: LockDevice[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < DEVICE_PAGES; page += 1) {
    const path: string = cursor === null ? '/devices' : `/devices?cursor=${encodeURIComponent(cursor)}`;
    const { payload, nextCursor } = parseBody(devicesSchema, await call('GET', path));
    devices.push(
      ...payload.map(({ deviceId, deviceName, type, batteryLevel }) => ({
        id: deviceId,
        name: deviceName ?? deviceId,
        isLock: (type ?? 'Lock') === 'Lock',
        batteryPercent: batteryLevel ?? null,
      })),
    );
    if (!nextCursor) return devices;
    cursor = nextCursor;
  }
  throw new ProviderError('igloohome', 'too_many_pages', { retryable: true });
}

/** Stores a code of chosen digits in the lock, through its bridge. */
async function createCode(call: CallIgloohome, bridgeId: string, input: NewCode): Promise<IssuedCode> {
  const { lockId, pin } = input;
  const jobData = {
    accessName: input.accessName.slice(0, NAME_MAX),
    pin,
    pinType: PIN_TYPE_DURATION,
    startDate: formatDate(input.startsAt, MINUTE),
    endDate: formatDate(input.endsAt, MINUTE),
  };
  await runJob(call, bridgeId, { lockId, jobType: JOB_CREATE_PIN, jobData });
  return { pin, providerCodeId: null };
}

/** Gets a code that the lock recognises without a connection. `variance` numbers the codes for the same hours. */
async function computeCode(call: CallIgloohome, mode: 'hourly' | 'onetime', input: NewCode): Promise<IssuedCode> {
  const endsAt = new Date(Math.ceil(input.endsAt.getTime() / HOUR) * HOUR);
  const body = await call('POST', `/devices/${input.lockId}/algopin/${mode}`, {
    variance: input.variant,
    startDate: formatDate(input.startsAt, HOUR),
    ...(mode === 'hourly' ? { endDate: formatDate(endsAt, HOUR) } : {}),
    accessName: input.accessName.slice(0, NAME_MAX),
  });
  const { pin, pinId } = parseBody(pinSchema, body);
  return { pin, providerCodeId: pinId ?? null };
}

/** Starts a job of the bridge and polls until it is done. Throws `ProviderError` if it fails or takes too long. */
async function runJob(call: CallIgloohome, bridgeId: string, { lockId, ...job }: JobOfBridge): Promise<void> {
  const { jobId } = parseBody(jobSchema, await call('POST', `/devices/${lockId}/jobs/bridges/${bridgeId}`, job));
  const until = Date.now() + JOB_WAIT_MS;
  while (Date.now() < until) {
    const status = parseBody(jobStateSchema, await call('GET', `/jobs/${jobId}`)).jobResponse?.jobStatus;
    if (status === JOB_DONE) return;
    if (typeof status === 'number' && status >= JOB_FAILED) throw failedJob('job_failed');
    await new Promise((resolve) => setTimeout(resolve, JOB_POLL_MS));
  }
  throw failedJob('job_unanswered');
}

/** Builds an ambiguous error, because the lock may have done the job. The error is not an outage, because the rest of igloohome works. */
function failedJob(reason: string): ProviderError {
  return new ProviderError('igloohome', reason, { retryable: true, ambiguous: true, outage: false });
}

/** Formats a time as the locks expect it, rounded down to `step` milliseconds: `2026-11-21T18:55:00+00:00`. */
function formatDate(at: Date, step: number): string {
  return new Date(Math.floor(at.getTime() / step) * step).toISOString().replace(/\.\d{3}Z$/, '+00:00');
}
