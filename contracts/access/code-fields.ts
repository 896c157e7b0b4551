import { z } from 'zod';
import { ACCESS_MODES } from '#rules/access.ts';
import { instantText } from '../core/fields.ts';

/** Fields that the answers about a booking's access code and a guest's access code share. */
export const codeFields = {
  pin: z
    .string()
    .nullable()
    .describe('The digits; null until `releaseAt`, until the lock has answered, and while the code is held.'),
  held: z.boolean().describe('Staff hold the code until they have talked with the customer.'),
  releaseAt: instantText.describe('When the code is shown and emailed.'),
  worksFrom: instantText,
  worksUntil: instantText,
  openedAt: instantText
    .nullable()
    .describe('When the newest code opened the door; null before, and where the lock does not report it.'),
  nextCodeAt: instantText.nullable().describe('From when another code can be made; null: now.'),
  codesLeft: z.int().nonnegative().describe('How many more codes can be made.'),
  codesPerBooking: z.int().nonnegative().describe('How many codes can be made in all.'),
  mode: z.enum(ACCESS_MODES).describe('How the lock gets its codes.'),
  singleUse: z.boolean().describe('A code opens the door once.'),
};
