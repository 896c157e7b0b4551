import { expect } from 'vitest';
import type { AuthServer } from './auth-app.ts';

/** A call, its body and the refusal: supabase-js shows the message to people, and programs compare the code. */
export type RefusalRow = readonly [call: string, sent: unknown, status: number, code: string, message: string];

/** Makes the call of a row with a token and expects its refusal. */
export async function expectRefusal(
  server: Pick<AuthServer, 'request'>,
  [call, sent, status, code, message]: RefusalRow,
  token?: string,
): Promise<void> {
  const [method = '', path = ''] = call.split(' ');
  const answer = await server.request(method, path, sent, token === undefined ? {} : { token });
  expect({ status: answer.status, ...answer.body }).toMatchObject({ status, code, message });
}

/** An id that no account, factor or passkey has. */
export const NOBODY = '11111111-1111-4111-8111-111111111111';
/** Refusals that many calls share. */
export const INVALID = [400, 'validation_failed'] as const;
export const BAD_EMAIL = [400, 'email_address_invalid', 'Unable to validate email address: invalid format'] as const;
export const BAD_PHONE = [...INVALID, 'Invalid phone number format (E.164 required)'] as const;
export const WEAK = [422, 'weak_password', 'Password should be at least 6 characters'] as const;
export const EMAIL_EXISTS = [
  422,
  'email_exists',
  'A user with this email address has already been registered',
] as const;
