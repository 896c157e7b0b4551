import { Refusal } from '../core/refusal.ts';
import type { IdentityContext } from './context.ts';
import { readHostedCheck } from './hosted-check.ts';

/** What following a hosted check needs. */
export type HostedCheckContext = Pick<IdentityContext, 'db' | 'checks' | 'store' | 'clock'>;

const DECIDED: readonly string[] = ['verified', 'review', 'failed'];

/**
 * Reads a hosted check that the provider reports, stores its decision, and makes the customer's pages read it again. Throws `Refusal`
 * as `readHostedCheck`, `not_found` also for a check of another program; and `ProviderError`.
 */
export async function settleHostedCheck(context: HostedCheckContext, sessionId: string): Promise<void> {
  const owner = await context.db.one<{ user_id: string }>(
    'select user_id from private.identity_session where id = $1',
    [sessionId],
  );
  if (owner === null) throw new Refusal('not_found', 'Verification session not found');
  const { status } = await readHostedCheck(context, owner.user_id, sessionId);
  // A decision publishes itself when it is stored.
  if (DECIDED.includes(status)) return;
  await context.db.query(`select private.publish_to_account($1::uuid, 'verification', '{}')`, [owner.user_id]);
}
