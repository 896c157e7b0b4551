/** Limits of the realtime API. All counts are exact for one process; rates are averages over `RATE_SECONDS`. */
export type RealtimeSettings = {
  readonly socketsMax: number;
  /** Sockets of one address. */
  readonly socketsPerAddress: number;
  readonly channelsPerSocket: number;
  /** Joins of one socket, per second. */
  readonly joinsPerSecond: number;
  /** Broadcasts that one socket sends, per second. */
  readonly messagesPerSecond: number;
  /** Presence calls of one channel in 30 seconds. */
  readonly presenceCalls: number;
  /** The largest broadcast or presence payload, in bytes. */
  readonly payloadMax: number;
  /** A socket whose unsent data exceeds this many bytes is closed. */
  readonly unsentMax: number;
  /** Whether only private channels are served. */
  readonly privateOnly: boolean;
};
