import type { Permission } from '#rules/permissions.ts';
import { Refusal } from './refusal.ts';

/** Builds the refusal of a caller who lacks only a second factor for the permission. */
export const secondFactorRequired = (permission: Permission): Refusal =>
  new Refusal(
    'second_factor_required',
    'This needs two-step sign-in. Sign in with your second step, or add an authenticator app in your account settings.',
    { permission },
  );
