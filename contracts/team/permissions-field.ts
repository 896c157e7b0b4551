import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';

/** Permissions in a body, in any order. `sortPermissions` removes duplicates. */
export const permissionsField = z.array(z.enum(PERMISSIONS));

/** Returns the given permissions without duplicates, in the order of `PERMISSIONS`. */
export const sortPermissions = (given: readonly (typeof PERMISSIONS)[number][]) =>
  PERMISSIONS.filter((permission) => given.includes(permission));
