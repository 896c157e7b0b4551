import { z } from 'zod';
import { isPlain, NOT_PLAIN } from '#rules/people.ts';
import { readPathUser } from '../accounts/path-user.ts';
import { recordEvent } from '../core/audit-log.ts';
import { type Call, readBody, requireServiceRole, requireUser } from '../core/request.ts';
import { passkeyNotFound, type PasskeyRow, readPasskeys, readPasskeyId, toPasskey } from './passkey-rows.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ friendly_name: z.string().trim().min(1).max(120).refine(isPlain, NOT_PLAIN) });
/** `GET /passkeys`: the passkeys of the signed-in user, oldest first. */
export async function listPasskeys(context: AuthContext, c: Call): Promise<Response> {
  const { userId } = await requireUser(context, c);
  return c.json((await readPasskeys(context.db, userId)).map(toPasskey));
}

/** `PATCH /passkeys/:id`: renames a passkey. */
export async function renamePasskey(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock } = context;
  const { userId } = await requireUser(context, c);
  const id = readPasskeyId(c);
  const { friendly_name: name } = await readBody(c, schema);
  const row = await db.transaction(async (tx) => {
    const at = clock();
    const changed = await tx.queryRow<PasskeyRow>(
      `update auth.webauthn_credentials set friendly_name = $3, updated_at = $4::timestamptz
       where id = $1::uuid and user_id = $2::uuid returning *`,
      [id, userId, name, at],
    );
    if (!changed) throw passkeyNotFound();
    const details = { passkey_id: id };
    await recordEvent(tx, { action: 'passkey_updated', actorId: userId, at, ip: c.var.ip, details });
    return changed;
  });
  return c.json(toPasskey(row));
}

/** `DELETE /passkeys/:id`. */
export async function deletePasskey(context: AuthContext, c: Call): Promise<Response> {
  const { userId } = await requireUser(context, c);
  await removePasskey(context, { id: readPasskeyId(c), userId, actorId: userId, ip: c.var.ip });
  return c.json({});
}

/** `GET /admin/users/:user/passkeys`. */
export async function listUserPasskeys(context: AuthContext, c: Call): Promise<Response> {
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  return c.json((await readPasskeys(context.db, user.id)).map(toPasskey));
}

/** `DELETE /admin/users/:user/passkeys/:id`. */
export async function deleteUserPasskey(context: AuthContext, c: Call): Promise<Response> {
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  await removePasskey(context, { id: readPasskeyId(c), userId: user.id, actorId: null, ip: c.var.ip });
  return c.json({});
}

async function removePasskey(
  { db, clock }: AuthContext,
  of: { id: string; userId: string; actorId: string | null; ip: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx.queryRow(
      'delete from auth.webauthn_credentials where id = $1::uuid and user_id = $2::uuid returning id',
      [of.id, of.userId],
    );
    if (!removed) throw passkeyNotFound();
    const details = { passkey_id: of.id, user_id: of.userId };
    await recordEvent(tx, { action: 'passkey_deleted', actorId: of.actorId, at: clock(), ip: of.ip, details });
  });
}
