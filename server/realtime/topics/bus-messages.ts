import { z } from 'zod';
import type { Broadcast, BroadcastBody } from '../core/frames.ts';
import type { BusMessage, Published } from './messages.ts';

const entrySchema = z.object({
  key: z.string(),
  ref: z.string(),
  previous: z.string().nullable(),
  payload: z.string(),
});
const messageSchema = z.object({
  name: z.string(),
  isPrivate: z.boolean(),
  broadcast: z
    .object({
      event: z.string(),
      json: z.string().optional(),
      whole: z.string().optional(),
      bytes: z.string().optional(),
      meta: z.record(z.string(), z.unknown()).nullable(),
    })
    .optional(),
  joins: z.array(entrySchema).optional(),
  leaves: z.array(entrySchema).optional(),
});
/** A message as JSON. Bytes are base64. */
export type WireMessage = z.infer<typeof messageSchema>;

const notificationSchema = z.union([
  /** The numbered messages of a process. Long ones are stored in `realtime.long_message`. */
  z.object({
    from: z.string(),
    number: z.number(),
    messages: z.array(messageSchema).optional(),
    stored: z.number().optional(),
  }),
  /**
   * A process asks the others to repeat what follows these numbers. A process that is not listed repeats everything it has kept. `sent`:
   * the last number that the asking process has sent, present if it received no notifications for a while.
   */
  z.object({ from: z.string(), after: z.record(z.string(), z.number()), sent: z.number().optional() }),
  /** Processes that have ended and whose presence was deleted. */
  z.object({ ended: z.array(z.string()) }),
]);
/** The content of one notification from one process to the others. */
export type Notification = z.infer<typeof notificationSchema>;
export type Envelope = Extract<Notification, { number: number }>;

export const readNotification = (payload: string): Notification => notificationSchema.parse(JSON.parse(payload));
export const readStoredMessages = (body: string): readonly WireMessage[] =>
  z.array(messageSchema).parse(JSON.parse(body));

export function toWireMessage(message: Published): WireMessage {
  const { name, isPrivate } = message.topic;
  if (message.kind === 'presence')
    return { name, isPrivate, joins: [...message.diff.joins], leaves: [...message.diff.leaves] };
  const { event, body, meta } = message.broadcast;
  const encoded = 'bytes' in body ? { bytes: Buffer.from(body.bytes).toString('base64') } : body;
  return { name, isPrivate, broadcast: { event, ...encoded, meta: meta === null ? null : { ...meta } } };
}

/** `process`: the sender. */
export function toBusMessage(process: string, { name, isPrivate, broadcast, joins, leaves }: WireMessage): BusMessage {
  const topic = { name, isPrivate };
  if (broadcast) return { kind: 'broadcast', topic, broadcast: toBroadcast(broadcast) };
  const diff = { joins: (joins ?? []).map((entry) => ({ ...entry, process })), leaves: leaves ?? [] };
  return { kind: 'presence', topic, diff };
}

function toBroadcast({ event, json, whole, bytes, meta }: NonNullable<WireMessage['broadcast']>): Broadcast {
  return { event, body: toBody(), meta };

  function toBody(): BroadcastBody {
    if (bytes !== undefined) return { bytes: Buffer.from(bytes, 'base64') };
    return whole === undefined ? { json: json ?? '{}' } : { whole };
  }
}
