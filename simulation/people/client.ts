import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { SERVER_URL } from '../runtime/server.ts';
import type { World } from '../world/world.ts';

/** An answer to a call of /functions/v1. Status 0: no answer came. */
export type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** A person’s browser: the client of the site, with its own address. */
export type Browser = {
  readonly client: SupabaseClient;
  call(name: string, body: Readonly<Record<string, unknown>>): Promise<Answer>;
};

let addresses = 0;

/** Opens a browser that calls the server as the site does. */
export function openBrowser(world: World): Browser {
  addresses += 1;
  const address = `203.0.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 1}`;
  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    world.machine.network.send('people', new Request(input, init), address);
  const key = world.run?.app.keys.anonKey ?? '';
  const client = createClient(SERVER_URL, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: send },
  });
  return {
    client,
    async call(name, body) {
      const { data, error } = await client.functions.invoke<Record<string, unknown>>(name, { body });
      const answer = await toAnswer(data, error);
      world.counters.count(`call.${name} ${answer.status}${describeRefusal(answer)}`);
      return answer;
    },
  };
}

async function toAnswer(data: Record<string, unknown> | null, error: unknown): Promise<Answer> {
  if (error === null) return { status: 200, body: data ?? {} };
  const { context } = error as { context?: unknown };
  if (!(context instanceof Response)) return { status: 0, body: {} };
  const body = (await context.json().catch(() => ({}))) as Record<string, unknown>;
  return { status: context.status, body };
}

/** Returns the code of a refusal. */
export function getCode({ body }: Answer): string {
  const { error } = body;
  const { code } = (typeof error === 'object' && error !== null ? error : body) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

const describeRefusal = (answer: Answer): string => (answer.status === 200 ? '' : ` ${getCode(answer)}`);
