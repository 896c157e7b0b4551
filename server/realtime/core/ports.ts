import type { Broadcast } from './frames.ts';
import type { Member } from './token.ts';

/** The rights of a member on a private topic, according to the policies of `realtime.messages`. */
export type Rights = {
  readonly readBroadcast: boolean;
  readonly readPresence: boolean;
};

export type Extension = 'broadcast' | 'presence' | 'persistence';

/** Evaluates the policies of `realtime.messages` for a member and a topic. */
export type Authorization = {
  rights(member: Member, topic: string, options: { presence: boolean }): Promise<Rights>;
  mayWrite(member: Member, topic: string, extension: Extension): Promise<boolean>;
};

type StoredMessage = { readonly id: string; readonly broadcast: Broadcast };

/** Stored messages of private topics. */
export type Messages = {
  /** Returns the newest `limit` messages since an instant in milliseconds, oldest first. */
  replay(topic: string, since: number, limit: number): Promise<readonly StoredMessage[]>;
  /** Stores a message that was already sent, for `seconds` or, if that is null, for the default time. Returns its id. */
  store(topic: string, broadcast: Broadcast, seconds: number | null): Promise<string>;
};

/** A change of a row: the JSON text of its `data`, and the ids of the bindings that it matches. */
export type ChangeEvent = { readonly ids: readonly number[]; readonly data: string };

/** `error`: why no changes arrive; `warning`: why the client must read again. Each is null if it does not apply. */
export type ChangesReady = { readonly error: string | null; readonly warning: string | null };

export type ChangeSubscription = {
  /** One id per binding, in the order of the bindings. */
  readonly ids: readonly number[];
  /** Resolves once all changes from then on are captured. */
  readonly ready: Promise<ChangesReady>;
  /** From now on, evaluates the visibility of changes with the rights of this member. */
  setMember(member: Member): void;
  end(): void;
};

export type Changes = {
  subscribe(request: {
    readonly member: Member;
    readonly bindings: readonly Readonly<Record<string, unknown>>[];
    readonly since: string | null;
    readonly onChange: (change: ChangeEvent) => void;
    /** Called when changes may be missing: the subscription has ended, and its client must join and read again. */
    readonly onLost: (message: string) => void;
  }): ChangeSubscription;
};
