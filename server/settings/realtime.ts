import type { z } from 'zod';
import { flag, whole } from './fields.ts';

/** The environment variables about `/realtime/v1`, spread into the schema in config.ts. */
export const realtimeFields = {
  REALTIME: flag.default(true),
  REALTIME_PRIVATE_ONLY: flag.default(false),
  REALTIME_MAX_SOCKETS: whole(1, 100_000).default(10_000),
  REALTIME_MAX_SOCKETS_PER_ADDRESS: whole(1, 100_000).default(200),
  REALTIME_MAX_CHANNELS_PER_SOCKET: whole(1, 10_000).default(100),
  REALTIME_JOINS_PER_SECOND: whole(1, 100_000).default(100),
  REALTIME_MESSAGES_PER_SECOND: whole(1, 100_000).default(100),
  REALTIME_PRESENCE_CALLS: whole(1, 100_000).default(5),
  REALTIME_MAX_PAYLOAD_BYTES: whole(1, 4_900_000).default(3_000_500),
  REALTIME_MAX_UNSENT_BYTES: whole(1, 1_000_000_000).default(8_388_608),
};
type RealtimeEnvironment = z.output<z.ZodObject<typeof realtimeFields>>;

/** Settings of `/realtime/v1`; null: it is switched off. */
export type RealtimeConfig = Readonly<ReturnType<typeof settingsOf>> | null;

export const readRealtimeSettings = (env: RealtimeEnvironment): RealtimeConfig =>
  env.REALTIME ? settingsOf(env) : null;

function settingsOf(env: RealtimeEnvironment) {
  return {
    privateOnly: env.REALTIME_PRIVATE_ONLY,
    socketsMax: env.REALTIME_MAX_SOCKETS,
    socketsPerAddress: env.REALTIME_MAX_SOCKETS_PER_ADDRESS,
    channelsPerSocket: env.REALTIME_MAX_CHANNELS_PER_SOCKET,
    joinsPerSecond: env.REALTIME_JOINS_PER_SECOND,
    messagesPerSecond: env.REALTIME_MESSAGES_PER_SECOND,
    presenceCalls: env.REALTIME_PRESENCE_CALLS,
    payloadMax: env.REALTIME_MAX_PAYLOAD_BYTES,
    unsentMax: env.REALTIME_MAX_UNSENT_BYTES,
  };
}
