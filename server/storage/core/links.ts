import { z } from 'zod';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Clock } from '#server/http/caller.ts';
import { storageErrors } from './errors.ts';
import { transformationSchema } from './transformation.ts';

const claimsSchema = z.object({
  kind: z.enum(['read', 'write']),
  bucketId: z.string(),
  name: z.string(),
  /** The token works only while this session is alive; null if it depends on no session. */
  session: z.string().nullable(),
  /** For `read`: how to transform the picture. */
  transform: transformationSchema.nullable().default(null),
  /** For `write`: the object's owner, and whether an existing object is replaced. */
  ownerId: z.string().nullable().default(null),
  replace: z.boolean().default(false),
});
/** The rights that a signed URL grants to anyone who has it: reading one object, or writing one name. */
export type LinkClaims = z.output<typeof claimsSchema>;

export type Links = {
  /** Returns a token that is valid for `seconds`. */
  sign(claims: z.input<typeof claimsSchema>, seconds: number): string;
  /** Checks a token. Throws `StorageRefusal` if it is expired, altered or for another purpose, or if its session has ended. */
  verify(kind: LinkClaims['kind'], bucketId: string, name: string, token: string): Promise<LinkClaims>;
};

export type LinksDependencies = {
  readonly clock: Clock;
  /** Computes keyed hashes that only this server can compute, one for each accepted key. The current key's hash comes first. */
  readonly marks: (text: string) => readonly Buffer[];
  readonly sessionAlive: (sessionId: string) => Promise<boolean>;
};

export function createLinks({ clock, marks, sessionAlive }: LinksDependencies): Links {
  const signed = (text: string): string[] => marks(text).map((mark) => `${text}.${mark.toString('base64url')}`);
  return {
    sign(claims, seconds) {
      const until = Math.floor(clock().getTime() / 1000) + seconds;
      const [link] = signed(`${until}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`);
      if (link === undefined) throw new Error('there is no key to sign with');
      return link;
    },
    async verify(kind, bucketId, name, token) {
      const [until = '', body = ''] = token.split('.');
      const same = signed(`${until}.${body}`).some((link) => equalInConstantTime(token, link));
      if (!same || Number(until) * 1000 < clock().getTime()) throw storageErrors.token();
      const claims = claimsSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
      if (claims.kind !== kind || claims.bucketId !== bucketId || claims.name !== name) throw storageErrors.token();
      if (claims.session !== null && !(await sessionAlive(claims.session))) throw storageErrors.token();
      return claims;
    },
  };
}
