import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '#server/http/caller.ts';
import { storageErrors } from './errors.ts';

/** Addresses that open one object to whoever holds them, until their time is up. */
export type Links = {
  /** `/object/sign/bucket/path?token=…`; the token comes first, since clients append to it. */
  sign(bucketId: string, name: string, seconds: number): string;
  /** Throws `StorageRefusal` for a token that is old, altered, or another object's. */
  check(bucketId: string, name: string, token: string): void;
};

export function createLinks({ clock, mark }: { clock: Clock; mark: (text: string) => Buffer }): Links {
  const tokenFor = (bucketId: string, name: string, until: number): string =>
    `${until}.${mark(`${bucketId}/${name}\n${until}`).toString('base64url')}`;
  return {
    sign(bucketId, name, seconds) {
      const until = Math.floor(clock().getTime() / 1000) + seconds;
      const path = name.split('/').map(encodeURIComponent).join('/');
      return `/object/sign/${bucketId}/${path}?token=${tokenFor(bucketId, name, until)}`;
    },
    check(bucketId, name, token) {
      const until = Number(/^(\d{1,12})\./.exec(token)?.[1] ?? 0);
      const wanted = Buffer.from(tokenFor(bucketId, name, until));
      const given = Buffer.from(token);
      const same = wanted.length === given.length && timingSafeEqual(wanted, given);
      if (!same || until * 1000 < clock().getTime()) throw storageErrors.token();
    },
  };
}
