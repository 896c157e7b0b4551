import type { Transaction, Queryable } from '#server/db/database.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Call, readUuid } from '../core/request.ts';
import type { StoredCredential } from '../webauthn/credential.ts';

export type PasskeyRow = {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: Uint8Array;
  sign_count: number;
  transports: string[];
  backup_eligible: boolean;
  backed_up: boolean;
  friendly_name: string;
  last_used_at: Date | null;
  created_at: Date;
};
const COLUMNS =
  'id, user_id, credential_id, public_key, sign_count, transports, backup_eligible, backed_up, friendly_name, last_used_at, created_at';

/** Reads the passkeys of an account, oldest first. */
export async function readPasskeys(db: Queryable, userId: string): Promise<PasskeyRow[]> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${COLUMNS} from auth.webauthn_credentials where user_id = $1::uuid order by created_at, id`,
    [userId],
  );
  return rows;
}

/** Reads a passkey by its credential id, and locks it until the transaction ends. */
export function passkeyByCredential(tx: Transaction, credentialId: string): Promise<PasskeyRow | null> {
  return tx.queryRow<PasskeyRow>(
    `select ${COLUMNS} from auth.webauthn_credentials where credential_id = $1 for update`,
    [credentialId],
  );
}

export const passkeyNotFound = (): AuthRefusal => new AuthRefusal(404, 'passkey_not_found', 'Passkey not found');

/** Reads the passkey id in the path (`:passkey`). Throws the API's 404 if it is invalid. */
export function readPasskeyId(c: Call): string {
  const id = readUuid(c.req.param('passkey'));
  if (id === null) throw passkeyNotFound();
  return id;
}

/** Returns the credential of a passkey, as the relying party needs it. */
export function toStored(row: PasskeyRow): StoredCredential {
  return {
    id: row.credential_id,
    publicKey: Buffer.from(row.public_key).toString('base64url'),
    counter: row.sign_count,
    transports: row.transports,
  };
}

/** Builds the passkey object of the API, without the public key. */
export function toPasskey(row: PasskeyRow): Record<string, unknown> {
  return {
    id: row.id,
    friendly_name: row.friendly_name,
    created_at: row.created_at,
    backup_eligible: row.backup_eligible,
    backed_up: row.backed_up,
    transports: row.transports,
    ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at }),
  };
}
