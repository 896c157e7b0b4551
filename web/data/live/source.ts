/** What a page can listen to: the hours of a studio (open to all), the events of an account (its owner), or all bookings (staff). */
export type LiveTopic = `studio:${string}` | `user:${string}` | 'staff';

/** Events of topics. A change can also mean that the connection is back, because changes in between were not received. */
export type LiveEvents = {
  readonly onChange: (topic: LiveTopic) => void;
  readonly onState: (topic: LiveTopic, live: boolean) => void;
};

/** Follows topics. */
export type Source = {
  /** Follows exactly these topics from now on. */
  readonly follow: (topics: ReadonlySet<LiveTopic>) => void;
  /** Reconnects, because the connection may be dead without having noticed. */
  readonly reset: () => void;
};

/** Creates a source. Called when a connection is needed. */
export type OpenSource = (events: LiveEvents) => Source;
