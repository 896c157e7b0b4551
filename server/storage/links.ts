import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#server/http/caller.ts';
import { storageErrors } from './errors.ts';
import { transformationSchema } from './pictures/transformation.ts';

const ticketSchema = z.object({
  kind: z.enum(['read', 'write']),
  bucketId: z.string(),
  name: z.string(),
  /** Good only while this session lives. */
  session: z.string().nullable(),
  /** read: how the picture is to be shown. */
  transform: transformationSchema.nullable().default(null),
  /** write: whose the object will be, and whether one that is there is replaced. */
  ownerId: z.string().nullable().default(null),
  replace: z.boolean().default(false),
});
/** What an address opens to whoever holds it: one object to be read, or one name to be written. */
export type Ticket = z.output<typeof ticketSchema>;

export type Links = {
  /** A token good for `seconds`. */
  seal(ticket: z.input<typeof ticketSchema>, seconds: number): string;
  /** Throws `StorageRefusal` for a token that is old, altered, made for something else, or whose session has ended. */
  open(kind: Ticket['kind'], bucketId: string, name: string, token: string): Promise<Ticket>;
};

export type LinksParts = {
  readonly clock: Clock;
  /** A keyed hash only this server can make. */
  readonly mark: (text: string) => Buffer;
  readonly sessionAlive: (sessionId: string) => Promise<boolean>;
};

export function createLinks({ clock, mark, sessionAlive }: LinksParts): Links {
  const seal = (text: string): string => `${text}.${mark(text).toString('base64url')}`;
  return {
    seal(ticket, seconds) {
      const until = Math.floor(clock().getTime() / 1000) + seconds;
      return seal(`${until}.${Buffer.from(JSON.stringify(ticket)).toString('base64url')}`);
    },
    async open(kind, bucketId, name, token) {
      const [until = '', body = ''] = token.split('.');
      const wanted = Buffer.from(seal(`${until}.${body}`));
      const given = Buffer.from(token);
      const same = wanted.length === given.length && timingSafeEqual(wanted, given);
      if (!same || Number(until) * 1000 < clock().getTime()) throw storageErrors.token();
      const ticket = ticketSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
      if (ticket.kind !== kind || ticket.bucketId !== bucketId || ticket.name !== name) throw storageErrors.token();
      if (ticket.session !== null && !(await sessionAlive(ticket.session))) throw storageErrors.token();
      return ticket;
    },
  };
}
