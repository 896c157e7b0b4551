import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';

/** Permissions in a body, in any order. `sortPermissions` removes repetitions. */
export const permissionsField = z.array(z.enum(PERMISSIONS));

/** Returns the given permissions once each, in the order of `PERMISSIONS`. */
export const sortPermissions = (given: readonly (typeof PERMISSIONS)[number][]) =>
  PERMISSIONS.filter((one) => given.includes(one));
