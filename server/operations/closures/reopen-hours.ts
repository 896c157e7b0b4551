import { Refusal } from '../core/refusal.ts';
import type { ClosureContext } from './context.ts';

/** Opens what is left of a closure. Opening it again changes nothing. Throws `Refusal` when there is none with this id. */
export async function reopenHours({ db, clock }: ClosureContext, closureId: string, actor: string): Promise<void> {
  const row = await db.one<{ found: boolean }>(
    'select private.reopen_hours($1::uuid, $2::uuid, $3::timestamptz) as found',
    [closureId, actor, clock()],
  );
  if (!row?.found) throw new Refusal('not_found', 'Closure not found');
}
