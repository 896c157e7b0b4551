import { LRUCache } from 'lru-cache';

/** Limits the bytes of one sender's bodies and frames per minute. Each process counts in its own memory. */
export type JsonBudget = {
  /** Takes the bytes. Returns null if they are admitted, else the whole seconds to wait. A null `sender` is never refused. */
  take(sender: Sender | null, bytes: number): number | null;
  /** Multiplies every byte limit. It is 1 outside tests. */
  readonly factor: number;
};

/**
 * `account`: the user of a verified token. Other senders are identified by their address. Accounts have a larger budget, because many
 * people share the address of a mobile network.
 */
export type Sender = { readonly account: string } | { readonly address: string };

const MEGABYTE = 1024 * 1024;
/** Budgets per minute. After a quiet minute all of a budget may be used at once. An account may send four pictures of its ID. */
const ADDRESS_BYTES = 4 * MEGABYTE;
const ACCOUNT_BYTES = 64 * MEGABYTE;
const MINUTE_MS = 60_000;
/** Maximum number of senders in memory. The sender that has been idle longest is dropped. */
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
      const remaining = before ? Math.max(0, before.bytes - (at - before.at) * perMs) : 0;
      const fits = remaining + bytes <= max;
      used.set(key, { bytes: fits ? remaining + bytes : remaining, at });
      return fits ? null : Math.max(1, Math.ceil((remaining + bytes - max) / perMs / 1000));
    },
  };
}
