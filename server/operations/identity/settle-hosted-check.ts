import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { readHostedCheck } from './hosted-check.ts';
import type { Services } from '../core/services.ts';

const DECIDED: readonly string[] = ['verified', 'review', 'failed'];

/**
 * Reads a hosted check that the provider has reported, stores its decision, and makes the customer's pages reload it. Throws `Refusal` as
 * `readHostedCheck`, with `not_found` also for a check of another program on the same account; and `ProviderError`.
 */
export async function settleHostedCheck(services: Services, sessionId: string): Promise<void> {
  const owner = await services.db.queryRow<{ user_id: string }>(
    'select user_id from private.identity_session where id = $1',
    [sessionId],
  );
  if (owner === null) throw new Refusal('not_found', 'Verification session not found');
  const { status } = await readHostedCheck(services, owner.user_id, sessionId);
  // Storing a decision publishes it already.
  if (DECIDED.includes(status)) return;
  await callSql(services.db, 'publish_to_account', { p_user: owner.user_id, p_event: 'verification', p_payload: {} });
}
