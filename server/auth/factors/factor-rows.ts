import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { StoredCredential } from '../passkeys/relying-party.ts';
import { AuthRefusal } from '../core/errors.ts';

export const factorTypes = ['totp', 'phone', 'webauthn'] as const;
export type FactorType = (typeof factorTypes)[number];
export type FactorRow = {
  id: string;
  user_id: string;
  friendly_name: string;
  factor_type: FactorType;
  status: 'unverified' | 'verified';
  secret: string | null;
  phone: string | null;
  web_authn_credential: StoredCredential | null;
  last_step: number;
  last_challenged_at: Date | null;
};
const COLUMNS =
  'id, user_id, friendly_name, factor_type, status, secret, phone, web_authn_credential, last_step, last_challenged_at';

/** Names of the types in error messages. */
export const factorNames: Readonly<Record<FactorType, string>> = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' };

export const noFactor = (): AuthRefusal => new AuthRefusal(404, 'mfa_factor_not_found', 'Factor not found');

/** Reads a factor of a user. 404 for a factor of somebody else, as for a missing one. `lock`: until the transaction ends. */
export async function factorOf(
  db: Pick<Transaction, 'one'>,
  of: { factorId: string; userId: string },
  lock = false,
): Promise<FactorRow> {
  const id = z.uuid().safeParse(of.factorId);
  if (!id.success) throw new AuthRefusal(404, 'validation_failed', 'factor_id must be an UUID');
  const row = await db.one<FactorRow>(
    `select ${COLUMNS} from auth.mfa_factors where id = $1::uuid and user_id = $2::uuid ${lock ? 'for update' : ''}`,
    [id.data, of.userId],
  );
  if (!row) throw noFactor();
  return row;
}

export async function factorsOf(db: Pick<Transaction, 'query'>, userId: string): Promise<FactorRow[]> {
  const { rows } = await db.query<FactorRow>(
    `select ${COLUMNS} from auth.mfa_factors where user_id = $1::uuid order by created_at, id`,
    [userId],
  );
  return rows;
}

/** Returns the assurance level of the request's session as stored now, not as in its token; null when the session has ended. */
export async function assuranceOf(
  db: Pick<Transaction, 'one'>,
  of: { sessionId: string; userId: string },
): Promise<'aal1' | 'aal2' | null> {
  const row = await db.one<{ aal: 'aal1' | 'aal2' }>(
    'select aal from auth.sessions where id = $1::uuid and user_id = $2::uuid',
    [of.sessionId, of.userId],
  );
  return row?.aal ?? null;
}
