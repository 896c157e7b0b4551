import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import { defineCall } from '../core/define-call.ts';

export const acceptStaffInvitation = defineCall({
  name: 'accept-staff-invitation',
  summary: 'Makes the caller staff with the permissions of the invitation whose link has this token.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 3600 },
  body: z.object({ token: z.string().min(1).max(200) }),
  answer: z.strictObject({ permissions: z.array(z.enum(PERMISSIONS)) }),
  refusals: {
    not_found: { message: 'This link isn’t valid. Use the newest email, or ask an owner for another one.' },
    not_yours: { message: 'This invitation is for another email address. Sign in with the address we wrote to.' },
    mail_unconfirmed: { message: 'Please confirm your email address first.' },
    already_done: { message: 'You are already on the staff.' },
    invitation_ended: { message: 'This invitation is no longer valid. Ask an owner for another one.' },
  },
  example: { body: { token: 'AbCdEf123456' }, answer: { permissions: ['bookings'] } },
});
