import { z } from 'zod';
import { address, type SandboxAddress } from './fields.ts';

/** The environment variables for smart plugs, spread into the schema in config.ts. */
export const plugFields = {
  SHELLY_URL: address.optional(),
  SHELLY_PLUGS: z.string().optional(),
};
type PlugEnvironment = z.output<z.ZodObject<typeof plugFields>>;

/**
 * Name → address of its RPC. The name '' is the default plug for rooms without one; without a default plug, the lights of these rooms are
 * not switched.
 */
export type PlugConfig = ReadonlyMap<string, string>;

const SANDBOX_PLUGS = ['Studio A', 'Studio B', 'Studio C'];
const NAME_MAX = 80;

/** Reads the plugs. `at` is null without a sandbox. */
export function readPlugConfig(env: PlugEnvironment, at: SandboxAddress | null): PlugConfig {
  const { pairs } = readPlugMap(env.SHELLY_PLUGS);
  if (at === null) return new Map([...(env.SHELLY_URL === undefined ? [] : [['', env.SHELLY_URL] as const]), ...pairs]);
  const sandboxUrl = (name: string): string => `${at(3)}/${name.toLowerCase().replace(' ', '-')}/rpc`;
  const named =
    env.SHELLY_URL === undefined && env.SHELLY_PLUGS === undefined
      ? SANDBOX_PLUGS.map((name): [string, string] => [name, sandboxUrl(name)])
      : pairs;
  return new Map([['', env.SHELLY_URL ?? sandboxUrl('Green Room')], ...named]);
}

/** Lists the faults, one line each. A plug may have only one name, because two names could give it contradicting commands. */
export function plugFaults(env: { readonly [name in 'SHELLY_URL' | 'SHELLY_PLUGS']?: string | undefined }): string[] {
  const { pairs, malformed } = readPlugMap(env.SHELLY_PLUGS);
  const repeated = (values: readonly string[]): string[] => [
    ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
  ];
  const urls = [...(env.SHELLY_URL === undefined ? [] : [env.SHELLY_URL]), ...pairs.map(([, url]) => url)];
  return [
    ...malformed.map((part) => `SHELLY_PLUGS: ${JSON.stringify(part)} is not name=http://address`),
    ...repeated(pairs.map(([name]) => name)).map((name) => `SHELLY_PLUGS: names ${name} twice`),
    ...repeated(urls).map((url) => `SHELLY_PLUGS: gives ${url} two names`),
  ];
}

/** Reads `Studio A=http://…,Studio B=http://…` into pairs. `malformed`: the entries that are not pairs. */
function readPlugMap(text = ''): { pairs: readonly (readonly [name: string, url: string])[]; malformed: string[] } {
  const pairs: [string, string][] = [];
  const malformed: string[] = [];
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    const url = address.safeParse(value.trim());
    const isNamed = name.trim() !== '' && name.trim().length <= NAME_MAX;
    if (isNamed && url.success) pairs.push([name.trim(), url.data]);
    else if (part.trim() !== '') malformed.push(part.trim());
  }
  return { pairs, malformed };
}
