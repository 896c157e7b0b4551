import { z } from 'zod';
import { PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';

const permissionsSchema = z
  .array(z.enum(PERMISSIONS))
  .nullable()
  .transform((held) => PERMISSIONS.filter((permission) => held?.includes(permission)));
const memberSchema = z.object({
  userId: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  permissions: permissionsSchema,
  lastSignInAt: z.coerce.date().nullable(),
  secondFactor: z.boolean(),
});
const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  permissions: permissionsSchema,
  createdAt: z.coerce.date(),
  expiresAt: z.coerce.date(),
  expired: z.boolean(),
  invitedBy: z.string().nullable(),
});
const secretSchema = z.object({
  id: z.string(),
  kind: z.enum(['staff-code', 'booking-code', 'calendar-feed']),
  studioName: z.string(),
  person: z.string().nullable(),
  about: z.string().nullable(),
  startsAt: z.coerce.date().nullable(),
  endsAt: z.coerce.date().nullable(),
  state: z.enum(['ended', 'ending', 'stays']),
});
const teamSchema = z.object({
  staff: z.array(memberSchema),
  invitations: z.array(invitationSchema),
  secrets: z.array(secretSchema),
});
/** A member of staff. */
export type Member = z.infer<typeof memberSchema>;
/** An invitation that was not accepted yet. */
export type OpenInvitation = z.infer<typeof invitationSchema>;
/** A code or calendar address that was shown to a person who has since lost the permission. */
export type LostSecret = z.infer<typeof secretSchema>;
export type Team = z.infer<typeof teamSchema>;

/** Reads all members of staff, the open invitations, and what former staff have seen. Only for owners. */
export async function readTeam(): Promise<Team> {
  const { data, error } = await rest.rpc('staff_team', { at: new Date().toISOString() });
  if (error) throw error;
  return teamSchema.parse(data);
}

export function invite(draft: { email: string; permissions: readonly Permission[] }): Promise<unknown> {
  return callFunction('staff-invite', draft);
}
export function resendInvitation(invitationId: string): Promise<unknown> {
  return callFunction('staff-resend-invitation', { invitationId });
}
export function revokeInvitation(invitationId: string): Promise<unknown> {
  return callFunction('staff-revoke-invitation', { invitationId });
}
export function setPermissions(userId: string, permissions: readonly Permission[]): Promise<unknown> {
  return callFunction('staff-set-permissions', { userId, permissions });
}
export function removeMember(userId: string): Promise<unknown> {
  return callFunction('staff-remove', { userId });
}

/** Replaces the set of permissions that require two-step sign-in, and the number of days that staff without it can continue. */
export function setFactorRules(rules: {
  readonly permissions: readonly Permission[];
  readonly graceDays: number;
}): Promise<unknown> {
  return callFunction('staff-set-second-factor', rules);
}

/** Makes the signed-in account a member of staff, with the token of a mailed link. */
export function acceptInvitation(token: string): Promise<unknown> {
  return callFunction('accept-staff-invitation', { token });
}
