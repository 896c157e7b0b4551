import { z } from 'zod';
import { ACCESS_MODES } from '#rules/access.ts';
import { address, type SandboxAddress, text } from './fields.ts';
import { readLockMap } from './lock-map.ts';

/** The environment variables for locks, spread into the schema in config.ts. */
export const lockFields = {
  IGLOOHOME_CLIENT_ID: text.optional(),
  IGLOOHOME_CLIENT_SECRET: text.optional(),
  IGLOOHOME_AUTH_URL: address.optional(),
  IGLOOHOME_API_URL: address.optional(),
  IGLOOHOME_BRIDGE_ID: text.optional(),
  IGLOOHOME_MODE: z.enum(ACCESS_MODES, 'is bridge, hourly or onetime').optional(),
  IGLOOHOME_WEBHOOK_KEY: text.optional(),
  IGLOOHOME_WEBHOOK_KEY_PREVIOUS: text.optional(),
  IGLOOHOME_LOCKS: z.string().optional(),
};
type LockEnvironment = z.output<z.ZodObject<typeof lockFields>>;

/** Settings of the locks' provider. */
export type LockConfig = {
  readonly authUrl: string;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly bridgeId: string | null;
  readonly mode: NonNullable<LockEnvironment['IGLOOHOME_MODE']>;
  /** Webhooks signed with any of these keys are accepted. */
  readonly webhookKeys: readonly string[];
  /** Studio name → lock id. */
  readonly locks: ReadonlyMap<string, string>;
};

const SANDBOX_LOCKS = 'Studio A=SPA1X0001,Studio B=SPB1X0002,Studio C=SPC1X0003';

/** Reads the settings of the locks. `sandboxAt` is null without a sandbox. */
export function readLockConfig(env: LockEnvironment, sandboxAt: SandboxAddress | null): LockConfig {
  const [api, home] = [sandboxAt?.(2), sandboxAt?.(0)];
  return {
    authUrl: env.IGLOOHOME_AUTH_URL ?? (api ? `${api}/oauth2/token` : 'https://auth.igloohome.co/oauth2/token'),
    apiUrl: env.IGLOOHOME_API_URL ?? (api ? `${api}/igloohome` : 'https://api.igloodeveloper.co/igloohome'),
    clientId: env.IGLOOHOME_CLIENT_ID ?? 'sandbox-client',
    clientSecret: env.IGLOOHOME_CLIENT_SECRET ?? 'sandbox-secret',
    bridgeId: env.IGLOOHOME_BRIDGE_ID ?? (sandboxAt ? 'EB1X00001' : null),
    mode: env.IGLOOHOME_MODE ?? (sandboxAt || env.IGLOOHOME_BRIDGE_ID !== undefined ? 'bridge' : 'hourly'),
    webhookKeys: [
      env.IGLOOHOME_WEBHOOK_KEY ?? (home ? `${home}/api/doors/webhook-key` : ''),
      ...(env.IGLOOHOME_WEBHOOK_KEY_PREVIOUS === undefined ? [] : [env.IGLOOHOME_WEBHOOK_KEY_PREVIOUS]),
    ],
    locks: new Map(readLockMap(env.IGLOOHOME_LOCKS ?? (sandboxAt ? SANDBOX_LOCKS : '')).pairs),
  };
}
