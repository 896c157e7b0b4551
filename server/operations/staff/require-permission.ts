import type { Permission } from '#rules/permissions.ts';
import type { Caller } from '#server/http/caller.ts';
import { Refusal } from '../core/refusal.ts';
import { secondFactorRequired } from '../core/second-factor.ts';
import { permissionMissing } from '../core/shown-secrets.ts';
import type { Services } from '../core/services.ts';

type Rights = {
  readonly staff: boolean;
  readonly permitted: boolean;
  /** Whether only a second factor is missing. */
  readonly missesFactor?: boolean;
};

/**
 * Reads whether the caller's account is currently staff and whether its session has the permission. If the account needs a second factor
 * for it, the session must have one. The service key has every permission.
 */
async function readRights({ db }: Services, caller: Caller, permission: Permission): Promise<Rights> {
  if (caller.role === 'service_role') return { staff: true, permitted: true };
  if (caller.userId === null) return { staff: false, permitted: false };
  const rights = await db.queryRow<Rights>(
    `select private.has_admin_role($1::uuid) as staff, private.has_permission($1::uuid, $2::uuid, $3) as permitted,
       private.misses_second_factor($1::uuid, $2::uuid, $3) as "missesFactor"`,
    [caller.userId, caller.sessionId, permission],
  );
  return rights ?? { staff: false, permitted: false };
}

/** Returns whether the caller is currently the service key or staff with the permission. */
export async function hasPermission(services: Services, caller: Caller, permission: Permission): Promise<boolean> {
  return (await readRights(services, caller, permission)).permitted === true;
}

/** Returns whether the caller lacks only a second factor for the permission. */
export async function missesSecondFactor(services: Services, caller: Caller, permission: Permission): Promise<boolean> {
  const { staff, missesFactor } = await readRights(services, caller, permission);
  return staff && missesFactor === true;
}

/**
 * Throws `Refusal` unless the caller is staff with the permission: `not_signed_in` for guests, `second_factor_required` if only that is
 * missing, and `not_yours` otherwise.
 */
export async function requirePermission(services: Services, caller: Caller, permission: Permission): Promise<void> {
  if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in first.');
  const { staff, permitted, missesFactor } = await readRights(services, caller, permission);
  if (staff !== true) throw new Refusal('not_yours', 'Only staff can do this.');
  if (missesFactor === true) throw secondFactorRequired(permission);
  if (permitted !== true) throw permissionMissing(permission);
}

/** Throws `Refusal` unless the caller has the permission `settings` and the developer pages are on: `not_found` if they are off. */
export async function requireDeveloper(services: Services, caller: Caller): Promise<void> {
  await requirePermission(services, caller, 'settings');
  if (!services.config.developerPages) throw new Refusal('not_found', 'The developer pages are switched off.');
}
