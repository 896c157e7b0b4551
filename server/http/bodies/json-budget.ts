import { LRUCache } from 'lru-cache';

/** Bytes that the bodies and frames of one sender may have per minute. One process counts them, in memory. */
export type JsonBudget = {
  /** Takes the bytes. Returns null when admitted, else the whole seconds until they are. `sender`: null is never refused. */
  take(sender: Sender | null, bytes: number): number | null;
  /** Multiplies every limit of bytes; 1 outside tests. */
  readonly factor: number;
};

/** `account`: the user of a verified token, who has more: many people share the address of a mobile network. Else the address. */
export type Sender = { readonly account: string } | { readonly address: string };

const MEGABYTE = 1024 * 1024;
/** Per minute, all of it at once after a quiet minute. An account may send four pictures of its ID. */
const ADDRESS_BYTES = 4 * MEGABYTE;
const ACCOUNT_BYTES = 64 * MEGABYTE;
const MINUTE_MS = 60_000;
/** Senders held in memory; the one that sent longest ago is dropped. */
const SENDERS_MAX = 20_000;

/** Creates the budget. `factor` multiplies it; it is 1 outside tests. */
export function createJsonBudget(factor: number, now: () => number = () => performance.now()): JsonBudget {
  const used = new LRUCache<string, { bytes: number; at: number }>({ max: SENDERS_MAX });
  return {
    factor,
    take(sender, bytes) {
      if (sender === null) return null;
      const isAccount = 'account' in sender;
      const key = isAccount ? `user:${sender.account}` : `ip:${sender.address}`;
      const max = (isAccount ? ACCOUNT_BYTES : ADDRESS_BYTES) * factor;
      const perMs = max / MINUTE_MS;
      const at = now();
      const before = used.get(key);
      const left = before ? Math.max(0, before.bytes - (at - before.at) * perMs) : 0;
      const fits = left + bytes <= max;
      used.set(key, { bytes: fits ? left + bytes : left, at });
      return fits ? null : Math.max(1, Math.ceil((left + bytes - max) / perMs / 1000));
    },
  };
}
