/** Limits of the realtime API. All counts are exact for one process; rates are averages over `RATE_SECONDS`. */
export type RealtimeOptions = {
  readonly socketsMax: number;
  /** Maximum number of sockets of one address. */
  readonly socketsPerAddress: number;
  /** Maximum number of sockets with a channel of one signed-in account. */
  readonly socketsPerAccount: number;
  readonly channelsPerSocket: number;
  /** Maximum number of table subscriptions of one channel. */
  readonly bindingsPerChannel: number;
  /** Maximum number of joins of one socket, per second. */
  readonly joinsPerSecond: number;
  /** Maximum number of messages that one socket sends, per second. */
  readonly messagesPerSecond: number;
  /** Maximum number of messages of one account over all its sockets and HTTP, per second. Over HTTP, guests count by address. */
  readonly accountMessagesPerSecond: number;
  /** Maximum number of messages in one call over HTTP. */
  readonly batchMax: number;
  /** Maximum number of presence calls of one channel in 30 seconds. */
  readonly presenceCalls: number;
  /** Maximum number of different presence keys of one topic. */
  readonly presenceKeysMax: number;
  /** Maximum size of a presence payload, in bytes. */
  readonly presenceMax: number;
  /** Maximum size of a broadcast payload, in bytes. */
  readonly payloadMax: number;
  /** A socket whose unsent data exceeds this many bytes is closed. */
  readonly unsentMax: number;
  /** The silence, in seconds, after which the other processes consider this one ended. */
  readonly leaseSeconds: number;
  /** Whether only private channels are served. */
  readonly privateOnly: boolean;
  /** Origins of other sites whose pages may connect. An asterisk stands for all. */
  readonly origins: readonly string[];
  /** Prefixes of the public topics to which only the server and the service key may send. */
  readonly serverTopics: readonly string[];
};

/** Whether a member may send messages and presence to this public topic. Private topics have policies instead. */
export const maySendTo = (
  { serverTopics }: Pick<RealtimeOptions, 'serverTopics'>,
  { role }: { readonly role: string },
  topic: string,
): boolean => role === 'service_role' || !serverTopics.some((beginning) => topic.startsWith(beginning));
