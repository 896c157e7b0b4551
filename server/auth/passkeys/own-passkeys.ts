import { z } from 'zod';
import type { AuthContext } from '../core/context.ts';
import { type Handler, readBody, readPerson, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { readSubject } from '../factors/admin-factors.ts';
import { noPasskey, type PasskeyRow, passkeysOf, readPasskeyId, toPasskey } from './passkey-rows.ts';

const schema = z.object({ friendly_name: z.string().trim().min(1).max(120) });

/** `GET /passkeys`: the user's own, oldest first. */
export function createPasskeyList({ db, readCaller }: AuthContext): Handler {
  return async (c) => {
    const { userId } = await readPerson(c, readCaller);
    return c.json((await passkeysOf(db, userId)).map(toPasskey));
  };
}

/** `PATCH /passkeys/:id`: renames a passkey. */
export function createPasskeyRename({ db, clock, readCaller }: AuthContext): Handler {
  return async (c) => {
    const { userId } = await readPerson(c, readCaller);
    const id = readPasskeyId(c.req.param('passkey'));
    const { friendly_name: name } = await readBody(c, schema);
    const row = await db.transaction(async (tx) => {
      const now = clock();
      const changed = await tx.one<PasskeyRow>(
        `update auth.webauthn_credentials set friendly_name = $3, updated_at = $4::timestamptz
         where id = $1::uuid and user_id = $2::uuid returning *`,
        [id, userId, name, now],
      );
      if (!changed) throw noPasskey();
      await record(tx, {
        action: 'passkey_updated',
        actorId: userId,
        at: now,
        ip: c.var.ip,
        details: { passkey_id: id },
      });
      return changed;
    });
    return c.json(toPasskey(row));
  };
}

/** `DELETE /passkeys/:id`. */
export function createPasskeyDelete(context: AuthContext): Handler {
  return async (c) => {
    const { userId } = await readPerson(c, context.readCaller);
    await removePasskey(context, { id: readPasskeyId(c.req.param('passkey')), userId, actorId: userId, ip: c.var.ip });
    return c.json({});
  };
}

/** `GET /admin/users/:user/passkeys`. */
export function createAdminPasskeys(context: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, context.readCaller);
    const user = await readSubject(context, c.req.param('user'));
    return c.json((await passkeysOf(context.db, user.id)).map(toPasskey));
  };
}

/** `DELETE /admin/users/:user/passkeys/:id`. */
export function createAdminPasskeyDelete(context: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, context.readCaller);
    const user = await readSubject(context, c.req.param('user'));
    const id = readPasskeyId(c.req.param('passkey'));
    await removePasskey(context, { id, userId: user.id, actorId: null, ip: c.var.ip });
    return c.json({});
  };
}

async function removePasskey(
  { db, clock }: AuthContext,
  of: { id: string; userId: string; actorId: string | null; ip: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx.one(
      'delete from auth.webauthn_credentials where id = $1::uuid and user_id = $2::uuid returning id',
      [of.id, of.userId],
    );
    if (!removed) throw noPasskey();
    const details = { passkey_id: of.id, user_id: of.userId };
    await record(tx, { action: 'passkey_deleted', actorId: of.actorId, at: clock(), ip: of.ip, details });
  });
}
