import { z } from 'zod';
import { callHttp, refusedBy } from './http-call.ts';
import { ProviderError } from './call.ts';
import type { Power } from './ports.ts';

const responseSchema = z.looseObject({
  result: z.looseObject({ output: z.boolean().optional() }).optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});

/** Adapter for a Shelly plug of the second generation, over the local network (shelly-api-docs.shelly.cloud, Switch). `url` ends in `/rpc`. */
export function createShellyPower(config: { url: string }): Power {
  let calls = 0;
  async function rpc(method: string, params: Record<string, unknown>): Promise<{ output?: boolean | undefined }> {
    calls += 1;
    const { status, body } = await callHttp('plug', config.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: calls, src: 'studio', method, params }),
    });
    const response = responseSchema.safeParse(body);
    if (status !== 200 || !response.success) throw refusedBy('plug', status, `http_${status}`);
    if (response.data.error) throw new ProviderError('plug', `rpc_${response.data.error.code}`, { retryable: false });
    return response.data.result ?? {};
  }
  return {
    set: async (on) => void (await rpc('Switch.Set', { id: 0, on })),
    pulse: async (seconds) => void (await rpc('Switch.Set', { id: 0, on: true, toggle_after: seconds })),
    isOn: async () => (await rpc('Switch.GetStatus', { id: 0 })).output === true,
  };
}
