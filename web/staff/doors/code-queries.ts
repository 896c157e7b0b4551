import { z } from 'zod';
import { type CallAnswer, type CallBody, callFunction } from '#web/data/fetch-client.ts';

const codesSchema = z.object({
  canRevoke: z.boolean(),
  codes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: z.enum(['requested', 'issued', 'revoking', 'revoked']),
      startsAt: z.coerce.date(),
      endsAt: z.coerce.date(),
      studioName: z.string(),
      madeBy: z.string().nullable(),
      usedAt: z.coerce.date().nullable(),
    }),
  ),
});
export type StaffCodes = z.infer<typeof codesSchema>;
export type StaffCode = StaffCodes['codes'][number];
/** `requestId` must be the same when a call is repeated because its answer was lost. */
export type NewStaffCode = Required<CallBody<'staff-access-code'>>;

/** Reads the codes that staff made for people without a booking. The digits are not included. */
export async function readStaffCodes(): Promise<StaffCodes> {
  return codesSchema.parse(await callFunction('staff-access-codes', {}));
}
/** Makes a code and closes its hours for bookings. Only this answer contains the digits. */
export function makeStaffCode(code: NewStaffCode): Promise<CallAnswer<'staff-access-code'>> {
  return callFunction('staff-access-code', code);
}
/** Removes a code from its lock. */
export function revokeStaffCode(codeId: string): Promise<CallAnswer<'staff-revoke-code'>> {
  return callFunction('staff-revoke-code', { codeId });
}
