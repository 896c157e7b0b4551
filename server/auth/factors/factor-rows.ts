import type { Transaction, Queryable } from '#server/db/database.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Call, readUuid } from '../core/request.ts';
import type { StoredCredential } from '../webauthn/credential.ts';

export const factorTypes = ['totp', 'phone', 'webauthn'] as const;
export type FactorType = (typeof factorTypes)[number];
export type FactorRow = {
  id: string;
  user_id: string;
  friendly_name: string;
  factor_type: FactorType;
  status: 'unverified' | 'verified';
  /** The encrypted secret of an authenticator app. */
  secret: string | null;
  phone: string | null;
  web_authn_credential: StoredCredential | null;
  /** The time step of the last accepted TOTP code. */
  last_step: number;
  last_challenged_at: Date | null;
};
const COLUMNS =
  'id, user_id, friendly_name, factor_type, status, secret, phone, web_authn_credential, last_step, last_challenged_at';

/** Names of the types in error messages. */
export const factorNames: Readonly<Record<FactorType, string>> = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' };

/**
 * Reads the factor in the path (`:factor`). Throws the same 404 for another user's factor as for a missing one. `lock` holds its row until
 * the transaction ends.
 */
export async function readPathFactor(
  db: Queryable,
  c: Call,
  userId: string,
  lock: 'lock' | null = null,
): Promise<FactorRow> {
  const id = readUuid(c.req.param('factor'));
  if (id === null) throw new AuthRefusal(404, 'validation_failed', 'factor_id must be an UUID');
  const row = await db.queryRow<FactorRow>(
    `select ${COLUMNS} from auth.mfa_factors where id = $1::uuid and user_id = $2::uuid ${lock === null ? '' : 'for update'}`,
    [id, userId],
  );
  if (!row) throw new AuthRefusal(404, 'mfa_factor_not_found', 'Factor not found');
  return row;
}

/** Returns the factors of an account. A caller that changes them must lock the account first. */
export async function readFactors(db: Queryable, userId: string): Promise<FactorRow[]> {
  const { rows } = await db.query<FactorRow>(
    `select ${COLUMNS} from auth.mfa_factors where user_id = $1::uuid order by created_at, id`,
    [userId],
  );
  return rows;
}

/** Removes a factor, and lowers the sessions that used it to aal1. */
export async function removeFactor(tx: Transaction, factor: FactorRow): Promise<void> {
  await tx.query(`update auth.sessions set aal = 'aal1', amr = '[]', factor_id = null where factor_id = $1::uuid`, [
    factor.id,
  ]);
  await tx.query('delete from auth.mfa_factors where id = $1::uuid', [factor.id]);
}
