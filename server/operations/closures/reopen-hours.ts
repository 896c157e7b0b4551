import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Reopening = {
  readonly closureId: string;
  /** The start of the week to reopen; null reopens all remaining weeks. */
  readonly from: Date | null;
  /** Whether the weeks after it are reopened too. */
  readonly following: boolean;
};

/** Reopens hours of a closure that have not passed. Idempotent. Throws `Refusal` if the closure or week does not exist. */
export async function reopenHours({ db, clock }: Services, reopening: Reopening, actor: string): Promise<void> {
  const outcome = await callSql(db, 'reopen_hours', {
    p_closure: reopening.closureId,
    p_from: reopening.from,
    p_following: reopening.following,
    p_actor: actor,
    p_now: clock(),
  });
  if (outcome === 'no_week') throw new Refusal('not_found', 'This closure has no week that starts then');
  if (outcome !== 'reopened') throw new Refusal('not_found', 'Closure not found');
}
