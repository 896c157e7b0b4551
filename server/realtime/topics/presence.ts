/** One tracked state of one channel. `ref` is unique; `previous` is the ref it replaces. */
export type PresenceEntry = {
  readonly key: string;
  readonly ref: string;
  readonly previous: string | null;
  /** The client's payload as JSON text of an object. */
  readonly payload: string;
  /** The process that holds its channel; absent if it is this one. */
  readonly process?: string;
};

export type PresenceDiff = { readonly joins: readonly PresenceEntry[]; readonly leaves: readonly PresenceEntry[] };

/** The entries of a topic: presence key → ref → entry. One key has an entry for each of its channels. */
export type Presence = Map<string, Map<string, PresenceEntry>>;

/** Applies a diff and returns what it changed, as the payload of `presence_diff`; null when it changed nothing. */
export function applyPresence(presence: Presence, { joins, leaves }: PresenceDiff): string | null {
  const joined = joins.filter((entry) => add(presence, entry));
  const departed = leaves.filter((entry) => remove(presence, entry));
  if (joined.length === 0 && departed.length === 0) return null;
  return `{"joins":${encodeEntries(joined)},"leaves":${encodeEntries(departed)}}`;
}

/**
 * Returns the diff that turns the entries of other processes into `stored`. It does not touch entries that have changed since `stored` was
 * read, nor those of processes that have ended since.
 */
export function compareRemote(
  presence: Presence,
  stored: readonly PresenceEntry[],
  changed: ReadonlySet<string>,
): PresenceDiff {
  const refs = new Set(stored.map(({ ref }) => ref));
  return {
    joins: stored.filter(({ process, ref }) => !changed.has(ref) && !changed.has(process ?? '')),
    leaves: getEntries(presence).filter(
      ({ process, ref }) => process !== undefined && !refs.has(ref) && !changed.has(ref),
    ),
  };
}

export const getEntries = (presence: Presence): readonly PresenceEntry[] =>
  [...presence.values()].flatMap((entries) => [...entries.values()]);

/** The payload of `presence_state`. */
export const encodeState = (presence: Presence): string => encodeEntries(getEntries(presence));

function add(presence: Presence, entry: PresenceEntry): boolean {
  const entries = presence.get(entry.key) ?? new Map<string, PresenceEntry>();
  if (entries.has(entry.ref)) return false;
  entries.set(entry.ref, entry);
  presence.set(entry.key, entries);
  return true;
}

function remove(presence: Presence, entry: PresenceEntry): boolean {
  const entries = presence.get(entry.key);
  if (!entries?.delete(entry.ref)) return false;
  if (entries.size === 0) presence.delete(entry.key);
  return true;
}

/** Encodes entries as `{key: {metas: [{phx_ref, …payload}]}}`. */
function encodeEntries(entries: readonly PresenceEntry[]): string {
  const metas = new Map<string, string[]>();
  for (const entry of entries) metas.set(entry.key, [...(metas.get(entry.key) ?? []), encodeMeta(entry)]);
  const parts = [...metas].map(([key, list]) => `${JSON.stringify(key)}:{"metas":[${list.join(',')}]}`);
  return `{${parts.join(',')}}`;
}

/** Encodes one entry. The refs come last, so that a payload cannot replace them. */
function encodeMeta({ payload, ref, previous }: PresenceEntry): string {
  const body = payload.slice(1, -1).trim();
  const refs = `"phx_ref":${JSON.stringify(ref)}${previous === null ? '' : `,"phx_ref_prev":${JSON.stringify(previous)}`}`;
  return `{${body}${body === '' ? '' : ','}${refs}}`;
}
