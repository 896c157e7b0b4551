import { createAverageRate, type Rate } from './rate.ts';
import type { RealtimeOptions } from './options.ts';
import type { Member } from './token.ts';

/** Limits that the sockets and calls of one account share in this process. */
export type Accounts = {
  /** Counts a channel of an account on a connection. Returns false, and counts nothing, if the account has too many connections. */
  enter(account: string | null, connection: object): boolean;
  leave(account: string | null, connection: object): void;
  /** Returns the message rate of an account, or of another holder of a limit such as an address. */
  getRate(holder: string, now: number): Rate;
};

/** Returns the account of a token; null for a guest and for the service, which have none. */
export function getAccount({ claims }: Pick<Member, 'claims'>): string | null {
  const { sub } = claims;
  return typeof sub === 'string' && sub !== '' ? `user:${sub}` : null;
}

/** The number of rates that are kept before unused ones are dropped. */
const RATES_KEPT = 10_000;

export function createAccounts(
  settings: Pick<RealtimeOptions, 'socketsPerAccount' | 'accountMessagesPerSecond'>,
): Accounts {
  const channels = new Map<string, Map<object, number>>();
  const rates = new Map<string, Rate>();
  return {
    enter(account, connection) {
      if (account === null) return true;
      const connections = channels.get(account) ?? new Map<object, number>();
      const count = connections.get(connection) ?? 0;
      if (count === 0 && connections.size >= settings.socketsPerAccount) return false;
      channels.set(account, connections.set(connection, count + 1));
      return true;
    },
    leave(account, connection) {
      const connections = account === null ? undefined : channels.get(account);
      if (account === null || !connections) return;
      const remaining = (connections.get(connection) ?? 1) - 1;
      if (remaining > 0) connections.set(connection, remaining);
      else connections.delete(connection);
      if (connections.size === 0) channels.delete(account);
    },
    getRate(holder, now) {
      const existing = rates.get(holder);
      if (existing) return existing;
      if (rates.size >= RATES_KEPT) for (const [other, rate] of rates) if (rate.used(now) === 0) rates.delete(other);
      const rate = createAverageRate(settings.accountMessagesPerSecond);
      rates.set(holder, rate);
      return rate;
    },
  };
}
