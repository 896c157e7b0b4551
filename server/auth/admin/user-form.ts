import { z } from 'zod';
import { checkPassword } from '../accounts/password-rules.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { readEmail, readPhone } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

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
export type Contacts = { readonly email: string | null; readonly phone: string | null };

const APP_METADATA_BYTES = 16_384;

/** Reads email and phone in the stored form; empty texts count as missing. Throws for invalid values. */
export function readContacts(form: UserForm): Contacts {
  if (form.role && form.role !== 'authenticated')
    throw refuse.validation('role must be authenticated: tokens give no further rights');
  if (form.app_metadata && Buffer.byteLength(JSON.stringify(form.app_metadata)) > APP_METADATA_BYTES)
    throw refuse.validation('App metadata is too large');
  return { email: form.email ? readEmail(form.email) : null, phone: form.phone ? readPhone(form.phone) : null };
}

const HASH = /^(\$2[aby]\$\d{2}\$[./A-Za-z0-9]{53}|\$argon2(id|i|d)\$v=19\$[\w=,]+\$[\w+/]+\$[\w+/]+)$/;

/** Returns the hash of the form's password, or its `password_hash`, or null if it has neither. Throws if it has both. */
export async function readPassword(rules: AuthContext, form: UserForm): Promise<string | null> {
  if (form.password && form.password_hash)
    throw refuse.validation('Only a password or a password hash should be provided');
  if (form.password_hash) return checkHash(form.password_hash);
  if (!form.password) return null;
  checkPassword(rules, form.password);
  return hashPassword(form.password);
}

/** Checks that a password hash is bcrypt or argon2, the formats that sign-in supports. */
function checkHash(text: string): string {
  if (!HASH.test(text)) throw refuse.validation('password_hash must be bcrypt or argon2');
  return text;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
  ['us', 0.001],
  ['µs', 0.001],
  ['ns', 0.000_001],
]);
const BAN_MS_MAX = 100 * 365.25 * 86_400_000;
/**
 * Reads the end of a ban from a Go duration (`24h`, `1h30m`). Returns null for `none` and undefined if the request does not change the ban.
 */
export function readBan(text: string | null | undefined, now: Date): Date | null | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  if (text === 'none') return null;
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text))
    throw refuse.validation(`invalid format for ban duration: ${text}`);
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g);
  const ms = [...parts].reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (UNIT_MS.get(unit) ?? 0), 0);
  return new Date(now.getTime() + Math.min(ms, BAN_MS_MAX));
}
