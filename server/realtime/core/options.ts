/** Limits of the realtime API. All counts are exact for one process; rates are averages over `RATE_SECONDS`. */
export type RealtimeOptions = {
  readonly socketsMax: number;
  /** Sockets of one address. */
  readonly socketsPerAddress: number;
  /** Sockets with a channel of one signed-in account. */
  readonly socketsPerAccount: number;
  readonly channelsPerSocket: number;
  /** Table subscriptions of one channel. */
  readonly bindingsPerChannel: number;
  /** Joins of one socket, per second. */
  readonly joinsPerSecond: number;
  /** Messages that one socket sends, per second. */
  readonly messagesPerSecond: number;
  /** Messages of one account over all its sockets and HTTP, per second; over HTTP guests count by address. */
  readonly accountMessagesPerSecond: number;
  /** Messages in one call over HTTP. */
  readonly batchMax: number;
  /** Presence calls of one channel in 30 seconds. */
  readonly presenceCalls: number;
  /** Different presence keys of one topic. */
  readonly presenceKeysMax: number;
  /** The largest presence payload, in bytes. */
  readonly presenceMax: number;
  /** The largest broadcast payload, in bytes. */
  readonly payloadMax: number;
  /** A socket whose unsent data exceeds this many bytes is closed. */
  readonly unsentMax: number;
  /** After how many silent seconds the other processes take this one for ended. */
  readonly leaseSeconds: number;
  /** Whether only private channels are served. */
  readonly privateOnly: boolean;
  /** Origins of other sites whose pages may connect; an asterisk stands for all. */
  readonly origins: readonly string[];
  /** What the names of public topics begin with to which only the server and the service key send. */
  readonly serverTopics: readonly string[];
};

/** Whether a member may send messages and presence to this public topic. Private topics have policies instead. */
export const maySendTo = (
  { serverTopics }: Pick<RealtimeOptions, 'serverTopics'>,
  { role }: { readonly role: string },
  topic: string,
): boolean => role === 'service_role' || !serverTopics.some((beginning) => topic.startsWith(beginning));
