import type { Permission } from '#rules/permissions.ts';
import { Refusal } from './refusal.ts';

/** The refusal of a caller who would have the permission after a second factor. */
export const secondFactorRequired = (permission: Permission): Refusal =>
  new Refusal(
    'second_factor_required',
    'This needs two-step sign-in. Sign in with your second step, or add an authenticator app in your account settings.',
    { permission },
  );
