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
/** The permission checkboxes as ticked. */
export type TickedPermissions = z.input<typeof boxes>;
const permissions = boxes
  .refine((ticked) => PERMISSIONS.some((permission) => ticked[permission]), {
    path: ['owner'],
    message: 'Choose at least one permission.',
  })
  .transform((ticked): Permission[] => PERMISSIONS.filter((permission) => ticked[permission]));

/** Returns the checkboxes with these permissions ticked. */
export const ticked = (held: readonly Permission[]): TickedPermissions => ({
  bookings: held.includes('bookings'),
  identity: held.includes('identity'),
  money: held.includes('money'),
  settings: held.includes('settings'),
  owner: held.includes('owner'),
});

/** The permissions that require two-step sign-in. Choosing none is allowed. */
export const factorFormSchema = boxes
  .extend({ graceDays: z.string().transform(Number) })
  .transform(({ graceDays, ...ticked }) => ({ permissions: PERMISSIONS.filter((name) => ticked[name]), graceDays }));
export const permissionsFormSchema = z.object({ permissions });
export const inviteFormSchema = z.object({ email: emailSchema, permissions });
