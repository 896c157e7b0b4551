import type { Member } from '../core/token.ts';

/** The subject of a database notification: a session or an account that has ended, or an account whose rights have changed. */
export type SessionEnd = { readonly kind: 'session' | 'account' | 'rights'; readonly id: string };

/** The sessions that ended recently. A join that began before a session ended must check whether the end concerns its member. */
export type SessionEnds = {
  note(end: SessionEnd): void;
  /** Whether a session, account or right of this member has ended or changed within the last half minute. */
  concerns(member: Member): boolean;
};

/** How long the end of a session is remembered. This must be longer than a join can take. */
const KEPT_MS = 30_000;

/** Parses a payload of the form `kind:id`. Returns null for any other text. The caller then checks every channel. */
export function readSessionEnd(payload: string): SessionEnd | null {
  const [kind, id = ''] = payload.split(':', 2);
  return kind === 'session' || kind === 'account' || kind === 'rights' ? { kind, id } : null;
}

export const concernsMember = ({ kind, id }: SessionEnd, { sessionId, claims }: Member): boolean =>
  kind === 'session' ? sessionId === id : claims['sub'] === id;

export function createSessionEnds(): SessionEnds {
  let ends: { readonly end: SessionEnd; readonly at: number }[] = [];
  return {
    note(end) {
      const now = performance.now();
      ends = [...ends.filter(({ at }) => now - at < KEPT_MS), { end, at: now }];
    },
    concerns: (member) => {
      const now = performance.now();
      return ends.some(({ end, at }) => now - at < KEPT_MS && concernsMember(end, member));
    },
  };
}
