import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Reopening = {
  readonly closureId: string;
  /** The start of the week that is opened; null opens all that is left. */
  readonly from: Date | null;
  /** Whether the weeks after it are opened too. */
  readonly following: boolean;
};

/** Opens hours of a closure that are not over. Opening them again changes nothing. Throws `Refusal` for a closure or week that there is not. */
export async function reopenHours({ db, clock }: Services, wanted: Reopening, actor: string): Promise<void> {
  const row = await db.one<{ outcome: 'reopened' | 'no_closure' | 'no_week' }>(
    'select private.reopen_hours($1::uuid, $2::timestamptz, $3::boolean, $4::uuid, $5::timestamptz) as outcome',
    [wanted.closureId, wanted.from, wanted.following, actor, clock()],
  );
  if (row?.outcome === 'no_week') throw new Refusal('not_found', 'This closure has no week that starts then');
  if (row?.outcome !== 'reopened') throw new Refusal('not_found', 'Closure not found');
}
