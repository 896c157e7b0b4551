import { z } from 'zod';
import { callHttp, refusedBy } from './http-call.ts';
import { ProviderError, readReply } from './call.ts';
import type { Power } from './ports.ts';

const failureSchema = z.looseObject({ error: z.looseObject({ code: z.number() }) });
const switchedSchema = z.looseObject({ result: z.looseObject({ was_on: z.boolean() }) });
const statusSchema = z.looseObject({ result: z.looseObject({ output: z.boolean() }) });

/** Adapter for a Shelly plug of the second generation, over the local network (shelly-api-docs.shelly.cloud, Switch). `url` ends in `/rpc`. */
export function createShellyPower(config: { url: string }): Power {
  let calls = 0;
  async function rpc<S extends z.ZodType>(
    method: string,
    params: Record<string, unknown>,
    schema: S,
  ): Promise<z.output<S>> {
    calls += 1;
    const { status, body } = await callHttp('plug', config.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: calls, src: 'studio', method, params }),
    });
    if (status !== 200) throw refusedBy('plug', status, `http_${status}`, body);
    const failure = failureSchema.safeParse(body);
    if (failure.success) throw new ProviderError('plug', `rpc_${failure.data.error.code}`, { retryable: false });
    return readReply('plug', schema, body);
  }
  return {
    set: async (on) => void (await rpc('Switch.Set', { id: 0, on }, switchedSchema)),
    pulse: async (seconds) =>
      void (await rpc('Switch.Set', { id: 0, on: true, toggle_after: seconds }, switchedSchema)),
    isOn: async () => (await rpc('Switch.GetStatus', { id: 0 }, statusSchema)).result.output,
  };
}
