import { z } from 'zod';
import { flag, list, whole } from './fields.ts';

/** An origin as browsers send it, such as https://example.com or capacitor://localhost. An asterisk allows every origin. */
const origin = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(
    (text) => text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/.test(text),
    'has origins such as https://example.com, without a path',
  );

/** The environment variables for `/realtime/v1`, spread into the schema in config.ts. */
export const realtimeFields = {
  REALTIME: flag.default(true),
  REALTIME_PRIVATE_ONLY: flag.default(false),
  REALTIME_ORIGINS: list.pipe(z.array(origin)).default([]),
  REALTIME_MAX_SOCKETS: whole(1, 100_000).default(10_000),
  REALTIME_MAX_SOCKETS_PER_ADDRESS: whole(1, 100_000).default(200),
  REALTIME_MAX_SOCKETS_PER_ACCOUNT: whole(1, 100_000).default(100),
  REALTIME_MAX_CHANNELS_PER_SOCKET: whole(1, 10_000).default(100),
  REALTIME_MAX_BINDINGS_PER_CHANNEL: whole(1, 10_000).default(100),
  REALTIME_JOINS_PER_SECOND: whole(1, 100_000).default(100),
  REALTIME_MESSAGES_PER_SECOND: whole(1, 100_000).default(100),
  REALTIME_ACCOUNT_MESSAGES_PER_SECOND: whole(1, 100_000).default(500),
  REALTIME_MAX_BATCH: whole(1, 10_000).default(100),
  REALTIME_PRESENCE_CALLS: whole(1, 100_000).default(5),
  REALTIME_MAX_PRESENCE_KEYS: whole(1, 1_000_000).default(1_000),
  REALTIME_MAX_PRESENCE_BYTES: whole(1, 4_900_000).default(65_536),
  REALTIME_MAX_PAYLOAD_BYTES: whole(1, 4_900_000).default(3_000_500),
  REALTIME_MAX_UNSENT_BYTES: whole(1, 1_000_000_000).default(8_388_608),
  REALTIME_LEASE_SECONDS: whole(1, 3_600).default(10),
};
type RealtimeEnvironment = z.output<z.ZodObject<typeof realtimeFields>>;

/** Settings of `/realtime/v1`, or null if it is switched off. */
export type RealtimeConfig = Readonly<ReturnType<typeof toSettings>> | null;

export const readRealtimeConfig = (env: RealtimeEnvironment): RealtimeConfig => (env.REALTIME ? toSettings(env) : null);

function toSettings(env: RealtimeEnvironment) {
  return {
    privateOnly: env.REALTIME_PRIVATE_ONLY,
    origins: env.REALTIME_ORIGINS,
    socketsMax: env.REALTIME_MAX_SOCKETS,
    socketsPerAddress: env.REALTIME_MAX_SOCKETS_PER_ADDRESS,
    socketsPerAccount: env.REALTIME_MAX_SOCKETS_PER_ACCOUNT,
    channelsPerSocket: env.REALTIME_MAX_CHANNELS_PER_SOCKET,
    bindingsPerChannel: env.REALTIME_MAX_BINDINGS_PER_CHANNEL,
    joinsPerSecond: env.REALTIME_JOINS_PER_SECOND,
    messagesPerSecond: env.REALTIME_MESSAGES_PER_SECOND,
    accountMessagesPerSecond: env.REALTIME_ACCOUNT_MESSAGES_PER_SECOND,
    batchMax: env.REALTIME_MAX_BATCH,
    presenceCalls: env.REALTIME_PRESENCE_CALLS,
    presenceKeysMax: env.REALTIME_MAX_PRESENCE_KEYS,
    presenceMax: env.REALTIME_MAX_PRESENCE_BYTES,
    payloadMax: env.REALTIME_MAX_PAYLOAD_BYTES,
    unsentMax: env.REALTIME_MAX_UNSENT_BYTES,
    leaseSeconds: env.REALTIME_LEASE_SECONDS,
    // Only the server and the service key may send on these topics, because pages trust their messages about the hours of a room.
    serverTopics: ['studio:'],
  };
}
