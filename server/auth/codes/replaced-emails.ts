import type { Transaction, Queryable } from '#server/db/database.ts';
import { linkTokenHash, linkTokenHashes, deriveLinkToken } from './one-time-codes.ts';
import { refuse } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

/** An address that was replaced and can still be restored. `factorIds`: the second factors that the account had then. */
export type ReplacedEmail = {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly phone: string | null;
  readonly phoneConfirmedAt: Date | null;
  readonly factorIds: readonly string[];
  readonly replacedAt: Date;
  readonly expiresAt: Date;
};

const COLUMNS = `r.id, r.user_id as "userId", r.email, r.phone, r.phone_confirmed_at as "phoneConfirmedAt", r.factor_ids as "factorIds",
  r.replaced_at as "replacedAt", r.expires_at as "expiresAt"`;

/**
 * Returns the page that undoes a change of address. The page does nothing until its button is pressed, because mail scanners open links
 * too.
 */
export function undoLink(context: AuthContext, id: string): string {
  return `${context.config.siteUrl}/undo-email?token_hash=${encodeURIComponent(deriveLinkToken(context, id))}`;
}

/**
 * Activates the undo link of a replaced address. If an address was replaced several times, the newest replacement counts. Returns null if
 * none can be undone.
 */
export async function activateUndo(
  context: AuthContext,
  which: { readonly id: string } | { readonly email: string },
): Promise<ReplacedEmail | null> {
  const { db, clock } = context;
  const [column, value] = 'id' in which ? ['id', which.id] : ['email', which.email];
  const found = await db.queryRow<ReplacedEmail>(
    `select ${COLUMNS} from auth.replaced_emails r where r.${column}::text = $1 and r.expires_at > $2::timestamptz
     order by r.replaced_at desc limit 1`,
    [value, clock()],
  );
  if (found === null) return null;
  await db.query('update auth.replaced_emails set token_hash = $2 where id = $1::uuid', [
    found.id,
    linkTokenHash(context, deriveLinkToken(context, found.id)),
  ]);
  return found;
}

/** Whether an address is reserved for its former account after a replacement. Ignores the account `userId`; null considers all accounts. */
export async function isReserved(
  db: Queryable,
  address: { readonly email: string; readonly userId: string | null; readonly now: Date },
): Promise<boolean> {
  const row = await db.queryRow<{ reserved: boolean }>(
    'select private.is_email_reserved($1, $2::uuid, $3::timestamptz) as reserved',
    [address.email, address.userId, address.now],
  );
  return row?.reserved === true;
}

/** Finds the replaced address of a link, and locks it until the transaction ends. Throws the API's error for a wrong or expired link. */
export async function lockReplaced(context: AuthContext, tx: Transaction, token: string): Promise<ReplacedEmail> {
  const row = await tx.queryRow<ReplacedEmail>(
    `select ${COLUMNS} from auth.replaced_emails r where r.token_hash = any($1::text[]) and r.expires_at > $2::timestamptz for update`,
    [linkTokenHashes(context, token), context.clock()],
  );
  if (row === null) throw refuse.wrongCode();
  return row;
}
