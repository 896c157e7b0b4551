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
 * Reads whether the caller's account is staff right now, and whether its session has the permission: with a second factor where one is required of
 * the account. The service key has every permission.
 */
async function readRights({ db }: Services, caller: Caller, permission: Permission): Promise<Rights> {
  if (caller.role === 'service_role') return { staff: true, permitted: true };
  if (caller.userId === null) return { staff: false, permitted: false };
  const rights = await db.one<Rights>(
    `select private.has_admin_role($1::uuid) as staff, private.has_permission($1::uuid, $2::uuid, $3) as permitted,
       private.misses_second_factor($1::uuid, $2::uuid, $3) as "missesFactor"`,
    [caller.userId, caller.sessionId, permission],
  );
  return rights ?? { staff: false, permitted: false };
}

/** Whether the caller is the service key or staff with the permission right now. */
export async function hasPermission(services: Services, caller: Caller, permission: Permission): Promise<boolean> {
  return (await readRights(services, caller, permission)).permitted === true;
}

/** Whether the caller would have the permission after a second factor. */
export async function missesSecondFactor(services: Services, caller: Caller, permission: Permission): Promise<boolean> {
  const { staff, missesFactor } = await readRights(services, caller, permission);
  return staff && missesFactor === true;
}

/**
 * Throws `Refusal` unless the caller is staff with the permission: `not_signed_in` for guests, `second_factor_required` where only that is
 * missing, else `not_yours`.
 */
export async function requirePermission(services: Services, caller: Caller, permission: Permission): Promise<void> {
  if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in first.');
  const { staff, permitted, missesFactor } = await readRights(services, caller, permission);
  if (staff !== true) throw new Refusal('not_yours', 'Only staff can do this.');
  if (missesFactor === true) throw secondFactorRequired(permission);
  if (permitted !== true) throw permissionMissing(permission);
}

/** Throws `Refusal` unless the caller may see the settings and the developer pages are on: `not_found` when they are off. */
export async function requireDeveloper(services: Services, caller: Caller): Promise<void> {
  await requirePermission(services, caller, 'settings');
  if (!services.config.developerPages) throw new Refusal('not_found', 'The developer pages are switched off.');
}
