import { z } from 'zod';
import { PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { emailSchema } from '#rules/people.ts';

const boxes = z.object({
  bookings: z.boolean(),
  identity: z.boolean(),
  money: z.boolean(),
  settings: z.boolean(),
  owner: z.boolean(),
});
/** The boxes of the permissions as they are ticked. */
export type TickedPermissions = z.input<typeof boxes>;
const permissions = boxes
  .refine((ticked) => PERMISSIONS.some((one) => ticked[one]), { path: ['owner'], message: 'Choose at least one.' })
  .transform((ticked): Permission[] => PERMISSIONS.filter((one) => ticked[one]));

/** Ticks the boxes of these permissions. */
export const ticked = (held: readonly Permission[]): TickedPermissions => ({
  bookings: held.includes('bookings'),
  identity: held.includes('identity'),
  money: held.includes('money'),
  settings: held.includes('settings'),
  owner: held.includes('owner'),
});

/** The permissions that need two-step sign-in; none is a choice too. */
export const factorFormSchema = boxes
  .extend({ graceDays: z.string().transform(Number) })
  .transform(({ graceDays, ...one }) => ({ permissions: PERMISSIONS.filter((name) => one[name]), graceDays }));
export const permissionsFormSchema = z.object({ permissions });
export const inviteFormSchema = z.object({ email: emailSchema, permissions });
