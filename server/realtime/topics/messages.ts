import type { Broadcast } from '../core/frames.ts';
import type { PresenceDiff } from './presence.ts';

/** A topic of public or of private channels. Two channels of the same name that differ in this share nothing. */
export type TopicKey = { readonly name: string; readonly isPrivate: boolean };

/** A message from one process to the others. */
export type Published =
  | { readonly kind: 'broadcast'; readonly topic: TopicKey; readonly broadcast: Broadcast }
  | { readonly kind: 'presence'; readonly topic: TopicKey; readonly diff: PresenceDiff };
/** A message that one process receives from the others. `ended`: a process has ended, and its presence with it. */
export type BusMessage = Published | { readonly kind: 'ended'; readonly process: string };
