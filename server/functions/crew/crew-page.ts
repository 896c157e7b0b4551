import { z } from 'zod';
import { isPlain } from '#rules/people.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { makeGuestCode } from '#server/operations/crew/guest-codes.ts';
import {
  type CrewPage,
  joinCrew,
  readCrewPage,
  readGuestAccess,
  requireJoined,
} from '#server/operations/crew/guests.ts';
import type { ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

const token = z.string().min(1).max(100);
const pageSchema = z.object({ token });
const joinSchema = z.object({
  token,
  name: z
    .string()
    .trim()
    .min(1)
    .max(40)
    // Shown to the host and to staff beside other text.
    .refine(isPlain, 'Please use letters.'),
  termsVersion: z.string().min(1).max(40),
});

/** Shows what an invitation to a crew leads to: `{state, host, booking, …, access}`; `access` is null until the guest has joined. */
export function crewPage({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'crew-page', max: 120, seconds: 60 },
    handle: async ({ body }) => json(await describe(access, await readCrewPage(access, parse(pageSchema, body).token))),
  };
}

/** Joins a crew with a first name and the version of the terms that the guest accepts. Answers as `crew-page`. */
export function crewJoin({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'crew-join', max: 20, seconds: 60 },
    handle: async ({ body }) => json(await describe(access, await joinCrew(access, parse(joinSchema, body)))),
  };
}

/** Makes another access code for a guest whose code was used. Answers as `crew-page`. */
export function crewCode({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'crew-code', max: 20, seconds: 60 },
    async handle({ body }) {
      const page = await requireJoined(access, parse(pageSchema, body).token);
      await makeGuestCode(access, page);
      return json(await describe(access, page));
    },
  };
}

/** Without the ids of the booking and the guest: the link is all that a guest needs. */
async function describe(context: AccessContext, page: CrewPage): Promise<Record<string, unknown>> {
  const { memberId: _member, bookingId: _booking, studioName, startTime, endTime, ...others } = page;
  return {
    ...others,
    booking: { studioName, startTime, endTime },
    access: page.state === 'joined' ? await readGuestAccess(context, page) : null,
  };
}
