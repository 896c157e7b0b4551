/** What a page can listen to: the hours of a studio (everybody), the events of an account (its owner), or all bookings (staff). */
export type LiveTopic = `studio:${string}` | `user:${string}` | 'staff';

/** Events of topics. A change may also mean that the connection is back: changes in between were not received. */
export type LiveEvents = {
  readonly onChange: (topic: LiveTopic) => void;
  readonly onState: (topic: LiveTopic, live: boolean) => void;
};

/** Follows topics. */
export type Source = {
  /** Follows exactly these topics from now on. */
  readonly follow: (topics: ReadonlySet<LiveTopic>) => void;
  /** Connects anew: the connection may be dead without knowing it. */
  readonly reset: () => void;
};

/** Makes a source; called when a connection is needed. */
export type OpenSource = (events: LiveEvents) => Source;
