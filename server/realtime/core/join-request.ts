/** A client's request to join a channel. An unreadable field takes its default, as in the service that this API mirrors. */
export type JoinRequest = {
  readonly broadcast: { readonly ack: boolean; readonly self: boolean; readonly replicationReady: boolean };
  /** The messages to send again: at most `limit` of those since `since` (milliseconds). `invalid`: the request for them was malformed. */
  readonly replay: { readonly since: number; readonly limit: number } | 'invalid' | null;
  /** `key` is '' if the server chooses one. */
  readonly presence: { readonly key: string; readonly enabled: boolean };
  /** Table subscriptions as sent, without null entries. */
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly changesOptions: {
    readonly wait: boolean;
    /** The wait, in milliseconds. */
    readonly timeout: number;
    /** The instant after which changes are sent again; null to send none. */
    readonly since: string | null;
  };
  readonly isPrivate: boolean;
  /** The caller's own token; null to use the key of the socket. */
  readonly accessToken: string | null;
};

const REPLAY_LIMIT_MAX = 25;
const WAIT_DEFAULT_MS = 15_000;
const WAIT_MAX_MS = 20_000;
const PRESENCE_KEY_MAX = 255;

export function readJoinRequest(payload: unknown): JoinRequest {
  const { config, access_token: token, user_token: oldToken } = toObject(payload);
  const {
    broadcast,
    presence,
    postgres_changes: changes,
    postgres_changes_options: options,
    private: isPrivate,
  } = toObject(config);
  const { ack, self, replay, replication_ready: replicationReady } = toObject(broadcast);
  const { key, enabled } = toObject(presence);
  return {
    broadcast: { ack: parseFlag(ack), self: parseFlag(self), replicationReady: parseFlag(replicationReady) },
    replay: readReplay(replay),
    presence: { key: typeof key === 'string' ? key.slice(0, PRESENCE_KEY_MAX) : '', enabled: parseFlag(enabled) },
    changes: Array.isArray(changes) ? changes.filter(isObject) : [],
    changesOptions: readChangesOptions(options),
    isPrivate: parseFlag(isPrivate),
    accessToken: parseToken(token) ?? parseToken(oldToken),
  };
}

/** Returns a token that may identify a signed-in caller; null for anything else, such as a key of the form `sb_…`. */
export const parseToken = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && !value.startsWith('sb_') ? value : null;

function readReplay(value: unknown): JoinRequest['replay'] {
  if (value === undefined || value === null) return null;
  const { since, limit = REPLAY_LIMIT_MAX } = toObject(value);
  if (typeof since !== 'number' || !Number.isInteger(since) || since < 0) return 'invalid';
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > REPLAY_LIMIT_MAX) return 'invalid';
  return { since, limit };
}

function readChangesOptions(value: unknown): JoinRequest['changesOptions'] {
  const { wait, timeout, since } = toObject(value);
  const milliseconds = typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, WAIT_MAX_MS) : WAIT_DEFAULT_MS;
  return { wait: parseFlag(wait), timeout: milliseconds, since: typeof since === 'string' ? since : null };
}

const parseFlag = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true');

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const toObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
