import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from './auth-parts.ts';
import { AuthRefusal, refuse } from './errors.ts';
import { readPerson } from './request.ts';

type Off = {
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  /** Whether the protocol asks for a person before anything else is said. */
  readonly person?: boolean;
  readonly refusal: () => AuthRefusal;
};

/** Ways in and rooms that are not open, each with the words the protocol has for that (wire.md 2). */
const OFF: readonly Off[] = [
  {
    methods: ['GET', 'POST', 'DELETE'],
    paths: ['/oauth/*', '/user/oauth/*'],
    refusal: () => refuse.disabled(404, 'feature_disabled', 'OAuth server is disabled'),
  },
];

/** Adds an answer for everything of the protocol that is switched off. */
export function addSwitchedOff(door: Hono<Env>, parts: AuthParts): void {
  for (const { methods, paths, person, refusal } of OFF) {
    door.on([...methods], [...paths], async (c) => {
      if (person) await readPerson(c, parts.readCaller);
      throw refusal();
    });
  }
  // Only the service key may even learn what is not there.
  door.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/admin/*', '/invite'], async (c) => {
    const caller = await parts.readCaller(c.req.raw, c.var.ip);
    if (caller.role !== 'service_role') throw new AuthRefusal(403, 'not_admin', 'User not allowed');
    throw refuse.disabled(404, 'feature_disabled', 'There is no such call for the service');
  });
}
