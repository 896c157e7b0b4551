import { z } from 'zod';
import { PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { staffInvitationMail, secondFactorMail } from '#server/mails/staff.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { invitationToken } from '../staff/invitations.ts';
import type { Services } from '../core/services.ts';

/** Mails an invitation to become staff. Sends nothing if the invitation is closed or expired, or if a newer link has replaced this job's. */
async function sendStaffInvitation(services: Services, job: Job<{ expiresAt: string }>): Promise<JobOutcome> {
  const { db, mail, clock, siteUrl, business } = services;
  const invitation = await db.queryRow<{
    email: string;
    permissions: Permission[];
    expiresAt: Date;
    inviter: string | null;
  }>(
    `select i.email, i.permissions, i.expires_at as "expiresAt",
       (select p.full_name from public.profiles p where p.user_id = i.invited_by) as inviter
     from private.staff_invitation i
     where i.id = $1::uuid and i.accepted_at is null and i.revoked_at is null and i.expires_at > $2::timestamptz`,
    [job.subjectId, clock()],
  );
  if (invitation === null || invitation.expiresAt.toISOString() !== job.payload.expiresAt) return 'done';
  const token = invitationToken(services, { invitationId: job.subjectId, expiresAt: invitation.expiresAt });
  const message = staffInvitationMail(business(), {
    // The token is in the fragment, so that it reaches neither logs nor other sites.
    href: `${siteUrl}/staff-invitation#${token}`,
    permissions: PERMISSIONS.filter((permission) => invitation.permissions.includes(permission)),
    until: invitation.expiresAt,
    inviter: invitation.inviter,
  });
  await mail.send({ to: invitation.email, ...message, key: `job-${job.id}` });
  return 'done';
}

/** Mails a member of staff that they need a second factor, and by when. Sends nothing if they have one, or no longer need one. */
async function sendSecondFactorDue({ db, mail, siteUrl, business }: Services, job: Job): Promise<JobOutcome> {
  const colleague = await db.queryRow<{ email: string; due: Date | null; required: boolean }>(
    `select u.email, private.second_factor_due(u.id) as due, private.must_show_factor(u.id) as required from auth.users u
     where u.id = $1::uuid and u.deleted_at is null and u.email is not null and not private.has_verified_factor(u.id)`,
    [job.subjectId],
  );
  if (colleague === null || (colleague.due === null && !colleague.required)) return 'done';
  const until = colleague.required ? null : colleague.due;
  await mail.send({ to: colleague.email, ...secondFactorMail(business(), { until, siteUrl }), key: `job-${job.id}` });
  return 'done';
}

export const sendStaffInvitationJob = defineJob({
  kind: 'mail.staff-invitation',
  title: 'Staff invitation email',
  worker: 'mail',
  payload: z.object({ expiresAt: z.string() }),
  handle: (services, job) => sendStaffInvitation(services, job),
});

export const sendSecondFactorDueJob = defineJob({
  kind: 'mail.second-factor',
  title: 'Two-step sign-in email to staff',
  worker: 'mail',
  handle: (services, job) => sendSecondFactorDue(services, job),
});
