import { z } from 'zod';
import { refuse } from '../core/errors.ts';
import { readAddress, readPhone } from '../core/request.ts';

/** The account fields that the service key may set, with the API's names. */
export const userForm = z.object({
  id: z.uuid().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  password_hash: z.string().max(512).nullish(),
  email_confirm: z.boolean().nullish(),
  phone_confirm: z.boolean().nullish(),
  user_metadata: z.record(z.string(), z.unknown()).nullish(),
  app_metadata: z.record(z.string(), z.unknown()).nullish(),
  role: z.string().nullish(),
  ban_duration: z.string().max(40).nullish(),
});
export type UserForm = z.output<typeof userForm>;

const APP_METADATA_BYTES = 16_384;

/** Reads email and phone in the stored form; empty texts count as missing. Throws for invalid values. */
export function readContacts(form: UserForm): { email: string | null; phone: string | null } {
  if (form.role && form.role !== 'authenticated')
    throw refuse.validation('role can only be authenticated: what more somebody may do is not told by their token');
  if (form.app_metadata && Buffer.byteLength(JSON.stringify(form.app_metadata)) > APP_METADATA_BYTES)
    throw refuse.validation('App metadata is too large');
  return { email: form.email ? readAddress(form.email) : null, phone: form.phone ? readPhone(form.phone) : null };
}

const HASH = /^(\$2[aby]\$\d{2}\$[./A-Za-z0-9]{53}|\$argon2(id|i|d)\$v=19\$[\w=,]+\$[\w+/]+\$[\w+/]+)$/;
/** Checks that a password hash is bcrypt or argon2, the formats that sign-in supports. */
export function readHash(text: string): string {
  if (!HASH.test(text)) throw refuse.validation('password_hash is neither bcrypt nor argon2');
  return text;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};
const LONGEST_MS = 100 * 365.25 * 86_400_000;
/** Reads the end of a ban: a Go duration (`24h`, `1h30m`), or `none` for null. Undefined: the request does not change it. */
export function readBan(text: string | null | undefined, now: Date): Date | null | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  if (text === 'none') return null;
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text))
    throw refuse.validation(`invalid format for ban duration: ${text}`);
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g);
  const ms = [...parts].reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  return new Date(now.getTime() + Math.min(ms, LONGEST_MS));
}
