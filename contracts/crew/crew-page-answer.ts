import { z } from 'zod';
import { codeFields } from '../access/code-fields.ts';
import { storedInstantText } from '../core/fields.ts';

/** The secret of a guest's link. */
export const crewToken = z.string().min(1).max(100);

/** The answer for a guest's link. It omits the ids of the booking and the guest, because guests need only the link. */
export const crewPageAnswer = z.strictObject({
  state: z.enum(['invited', 'joined']),
  name: z.string().nullable().describe('The first name of the guest; null until the guest has joined.'),
  host: z.string().describe('The first name of the customer who invites; may be empty.'),
  booking: z.strictObject({ studioName: z.string(), startTime: storedInstantText, endTime: storedInstantText }),
  arrivalNotes: z.string(),
  termsVersion: z.string().describe('The current version of the terms.'),
  access: z
    .strictObject({ ...codeFields, own: z.boolean().describe('The digits are for this guest only.') })
    .nullable()
    .describe('The way in; null until the guest has joined.'),
});
export type CrewPageAnswer = z.output<typeof crewPageAnswer>;

/** The refusals of every call that takes a guest's link. */
export const crewPageRefusals = {
  not_found: { message: 'This link isn’t valid. Ask the person who sent it for a new one.' },
  invitation_ended: { message: 'This invitation was taken back.' },
  not_confirmed: { message: 'This booking hasn’t been paid yet.' },
};

/** The page of a guest who has joined. */
export const crewPageExample: CrewPageAnswer = {
  state: 'joined',
  name: 'Sam',
  host: 'Alex',
  booking: {
    studioName: 'Studio A',
    startTime: '2031-05-02T00:00:00+00:00',
    endTime: '2031-05-02T02:00:00+00:00',
  },
  arrivalNotes: 'Bring headphones.',
  termsVersion: '2031-01-01',
  access: {
    own: true,
    pin: '482913',
    held: false,
    releaseAt: '2031-05-01T23:45:00.000Z',
    worksFrom: '2031-05-01T23:50:00.000Z',
    worksUntil: '2031-05-02T02:00:00.000Z',
    openedAt: null,
    nextCodeAt: null,
    codesLeft: 19,
    codesPerBooking: 20,
    mode: 'bridge',
    singleUse: false,
  },
};
