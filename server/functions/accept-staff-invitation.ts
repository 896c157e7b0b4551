import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { acceptInvitation } from '#server/operations/staff/invitations.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'accept-staff-invitation', max: 20, seconds: 3600 };
const bodySchema = z.object({ token: z.string().min(1).max(200) });

/** Makes the caller staff with the permissions of the invitation whose link it holds: `{permissions}`. */
export function acceptStaffInvitation({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { token } = parse(bodySchema, body);
      return json({ permissions: await acceptInvitation(booking, token, signedIn(caller).userId) });
    },
  };
}
