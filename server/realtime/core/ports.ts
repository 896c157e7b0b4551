import type { Broadcast } from './frames.ts';
import type { Member } from './token.ts';

/** What a member may do on a private topic, by the policies of `realtime.messages`. */
export type Rights = {
  readonly readBroadcast: boolean;
  readonly readPresence: boolean;
};

export type Extension = 'broadcast' | 'presence' | 'persistence';

/** Judges the policies of `realtime.messages` for a member and a topic. */
export type Authorization = {
  rights(member: Member, topic: string, options: { presence: boolean }): Promise<Rights>;
  mayWrite(member: Member, topic: string, extension: Extension): Promise<boolean>;
};

type StoredMessage = { readonly id: string; readonly broadcast: Broadcast };

/** Stored messages of private topics. */
export type Messages = {
  /** The newest `limit` messages since an instant in milliseconds, oldest first. */
  replay(topic: string, since: number, limit: number): Promise<readonly StoredMessage[]>;
  /** Stores a message that was already sent. Returns its id. `seconds`: how long it is kept; null: the default. */
  store(topic: string, broadcast: Broadcast, seconds: number | null): Promise<string>;
};

/** A change of a row as JSON text of its `data`, and the bindings that it matches. */
export type ChangeEvent = { readonly ids: readonly number[]; readonly data: string };

/** `error`: why nothing arrives; `warning`: why the client has to read again. Null: there is nothing to say. */
export type ChangesReady = { readonly error: string | null; readonly warning: string | null };

export type ChangeSubscription = {
  /** One id per binding, in their order. */
  readonly ids: readonly number[];
  /** Resolves when every later change arrives. */
  readonly ready: Promise<ChangesReady>;
  /** Judges later changes as this member. */
  setMember(member: Member): void;
  end(): void;
};

export type Changes = {
  subscribe(request: {
    readonly member: Member;
    readonly bindings: readonly Readonly<Record<string, unknown>>[];
    readonly since: string | null;
    readonly onChange: (change: ChangeEvent) => void;
    /** Called when changes may be missing: the subscription has ended, and its client has to join and to read again. */
    readonly onLost: (message: string) => void;
  }): ChangeSubscription;
};
