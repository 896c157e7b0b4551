import { createHmac, createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { ProviderError } from './call.ts';
import { callHttp, refusedBy } from './http-call.ts';
import type { LockCapabilities, Locks } from './ports.ts';

export type IgloohomeConfig = {
  readonly authUrl: string;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The bridge that reaches all locks; null: the locks compute codes offline. */
  readonly bridgeId: string | null;
  readonly mode: LockCapabilities['mode'];
};

const CAPABILITIES: Readonly<Record<LockCapabilities['mode'], LockCapabilities>> = {
  bridge: {
    mode: 'bridge',
    granularityMinutes: 1,
    singleUse: true,
    endEnforced: true,
    revocable: true,
    codesPerWindow: 20,
  },
  hourly: {
    mode: 'hourly',
    granularityMinutes: 60,
    singleUse: false,
    endEnforced: true,
    revocable: false,
    codesPerWindow: 3,
  },
  onetime: {
    mode: 'onetime',
    granularityMinutes: 60,
    singleUse: true,
    endEnforced: false,
    revocable: false,
    codesPerWindow: 5,
  },
};

const tokenSchema = z.looseObject({ access_token: z.string(), expires_in: z.number() });
const pinSchema = z.looseObject({ pin: z.string().regex(/^\d{4,10}$/), pinId: z.string().nullish() });
const jobSchema = z.looseObject({ jobId: z.string() });
const jobStateSchema = z.looseObject({
  completed: z.boolean().nullish(),
  jobResponse: z.looseObject({ jobStatus: z.number().nullish() }).nullish(),
});
const devicesSchema = z.looseObject({ payload: z.array(z.looseObject({ deviceId: z.string() })) });

const JOB_CREATE_PIN = 4;
const JOB_DELETE_PIN = 5;
const PIN_TYPE_DURATION = 4;
const JOB_POLL_MS = 400;
const JOB_WAIT_MS = 20_000;
const HOUR = 3_600_000;

/** Adapter for igloohome's cloud. It has no public reference: these facts come from its SDK and live integrations. */
export function createIgloohomeLocks(config: IgloohomeConfig): Locks {
  let token: { value: string; until: number } | null = null;

  async function accessToken(): Promise<string> {
    if (token && token.until > Date.now()) return token.value;
    const basic = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString('base64');
    const { status, body } = await callHttp('igloohome', config.authUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const read = tokenSchema.safeParse(body);
    if (status !== 200 || !read.success) throw refusedBy('igloohome', status, 'token_refused');
    token = { value: read.data.access_token, until: Date.now() + (read.data.expires_in - 60) * 1000 };
    return token.value;
  }

  async function call(method: string, path: string, payload?: unknown, secondTry = false): Promise<unknown> {
    const { status, body } = await callHttp('igloohome', `${config.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await accessToken()}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
    });
    // An expired token is answered with 401 or 403.
    if ((status === 401 || status === 403) && !secondTry) {
      token = null;
      return call(method, path, payload, true);
    }
    if (status < 200 || status > 299)
      throw refusedBy('igloohome', status, status === 406 ? 'bridge_offline' : `http_${status}`);
    return body;
  }

  async function job(lockId: string, jobType: number, jobData: Record<string, unknown>): Promise<void> {
    const started = jobSchema.safeParse(
      await call('POST', `/devices/${lockId}/jobs/bridges/${config.bridgeId ?? ''}`, { jobType, jobData }),
    );
    if (!started.success) throw new ProviderError('igloohome', 'garbled_answer', { retryable: true, ambiguous: true });
    const until = Date.now() + JOB_WAIT_MS;
    while (Date.now() < until) {
      const state = jobStateSchema.safeParse(await call('GET', `/jobs/${started.data.jobId}`));
      const done = state.success ? state.data.jobResponse?.jobStatus : undefined;
      if (done === 0) return;
      if (typeof done === 'number' && done >= 2)
        throw new ProviderError('igloohome', 'job_failed', { retryable: true, ambiguous: true, outage: false });
      await new Promise((resolve) => setTimeout(resolve, JOB_POLL_MS));
    }
    throw new ProviderError('igloohome', 'job_unanswered', { retryable: true, ambiguous: true, outage: false });
  }

  async function bridgeCode(
    input: Parameters<Locks['issueCode']>[0],
  ): Promise<{ pin: string; providerCodeId: string | null }> {
    await job(input.lockId, JOB_CREATE_PIN, {
      accessName: input.accessName.slice(0, 32),
      pin: input.pin,
      pinType: PIN_TYPE_DURATION,
      startDate: stamp(input.startsAt, 60_000),
      endDate: stamp(input.endsAt, 60_000),
    });
    return { pin: input.pin, providerCodeId: null };
  }

  async function computedCode(
    input: Parameters<Locks['issueCode']>[0],
  ): Promise<{ pin: string; providerCodeId: string | null }> {
    const body = {
      variance: input.variant,
      startDate: stamp(input.startsAt, HOUR),
      ...(config.mode === 'hourly'
        ? { endDate: stamp(new Date(Math.ceil(input.endsAt.getTime() / HOUR) * HOUR), HOUR) }
        : {}),
      accessName: input.accessName.slice(0, 32),
    };
    const made = pinSchema.safeParse(await call('POST', `/devices/${input.lockId}/algopin/${config.mode}`, body));
    if (!made.success) throw new ProviderError('igloohome', 'garbled_answer', { retryable: true, ambiguous: true });
    return { pin: made.data.pin, providerCodeId: made.data.pinId ?? null };
  }

  return {
    capabilities: CAPABILITIES[config.mode],
    issueCode: (input) => (config.mode === 'bridge' ? bridgeCode(input) : computedCode(input)),
    async revokeCode({ lockId, pin }) {
      if (config.mode !== 'bridge') throw new ProviderError('igloohome', 'not_supported', { retryable: false });
      await job(lockId, JOB_DELETE_PIN, { pin });
    },
    async check() {
      const devices = devicesSchema.safeParse(await call('GET', '/devices'));
      if (!devices.success) throw new ProviderError('igloohome', 'garbled_answer', { retryable: true });
      return { devices: devices.data.payload.map((device) => device.deviceId) };
    },
  };
}

/** Formats a time as the locks expect it, in whole minutes or hours: `2026-11-21T18:55:00+00:00`. */
function stamp(at: Date, step: number): string {
  return new Date(Math.floor(at.getTime() / step) * step).toISOString().replace(/\.\d{3}Z$/, '+00:00');
}

/**
 * Verifies the signature of a report: RSA over an HMAC of `POST|host|path|content-type|Date|body`, keyed with the public key's DER bytes.
 * `publicKey` is a PEM text or a URL that serves one.
 */
export function createIgloohomeVerifier(config: {
  publicKey: string;
  webhookUrl: string;
}): (request: Request, rawBody: string) => Promise<boolean> {
  let key: KeyObject | null = null;
  async function readKey(): Promise<KeyObject> {
    if (key) return key;
    const pem = /^https?:/.test(config.publicKey)
      ? await (await fetch(config.publicKey, { signal: AbortSignal.timeout(3_000) })).text()
      : config.publicKey;
    key = createPublicKey(pem);
    return key;
  }
  return async (request, rawBody) => {
    const signature = request.headers.get('x-igloocompany-sha256') ?? '';
    const date = request.headers.get('date') ?? request.headers.get('x-igloocompany-date') ?? '';
    if (signature === '' || !(Math.abs(Date.now() - Date.parse(date)) < 300_000)) return false;
    const publicKey = await readKey();
    const url = new URL(config.webhookUrl);
    const text = ['POST', url.host, url.pathname, request.headers.get('content-type') ?? '', date, rawBody].join('|');
    const digest = createHmac('sha256', publicKey.export({ type: 'pkcs1', format: 'der' }))
      .update(Buffer.from(text, 'latin1'))
      .digest();
    return createVerify('sha256').update(digest).verify(publicKey, Buffer.from(signature, 'base64'));
  };
}
