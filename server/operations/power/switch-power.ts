import type { Database } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';

/** What the operations of the smart plug work with. */
export type PowerContext = { readonly db: Pick<Database, 'query'>; readonly power: Power };

/** How long a test keeps the plug on. */
const TEST_SECONDS = 2;

/** Switches the plug, checks that it did, and writes the audit log. Throws `Refusal('provider_unavailable')`. */
export async function switchPower(context: PowerContext, on: boolean, actor: string): Promise<void> {
  await audit(context, actor, { on });
  await refuseIfUnreachable(async () => {
    await context.power.set(on);
    if ((await context.power.isOn()) !== on) throw new ProviderError('plug', 'did_not_switch', { retryable: true });
  });
}

/** Switches the plug on for two seconds; the plug itself switches off. Throws `Refusal('provider_unavailable')`. */
export async function testPower(context: PowerContext, actor: string): Promise<void> {
  await audit(context, actor, { test: true });
  await refuseIfUnreachable(() => context.power.pulse(TEST_SECONDS));
}

async function audit({ db }: PowerContext, actor: string, details: Readonly<Record<string, unknown>>): Promise<void> {
  await db.query(`select private.audit($1::uuid, 'update', 'power', 'plug', $2::jsonb)`, [actor, details]);
}

async function refuseIfUnreachable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal('provider_unavailable', 'We can’t reach the smart plug.');
  }
}
