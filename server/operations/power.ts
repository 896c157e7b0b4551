import type { Database } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { Refusal } from './core/refusal.ts';

export type PowerControl = {
  /** Switches the plug, checks that it did, and writes the audit log. */
  set(on: boolean, actor: string): Promise<void>;
  /** Switches the plug on for two seconds; the plug itself switches off. */
  test(actor: string): Promise<void>;
};

const TEST_SECONDS = 2;

export function createPowerControl(context: { db: Database; power: Power }): PowerControl {
  const { db, power } = context;
  const refuseIfUnreachable = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof ProviderError)
        throw new Refusal('provider_unavailable', 'The smart plug cannot be reached.');
      throw error;
    }
  };
  const audit = (actor: string, details: Record<string, unknown>) =>
    db.query(`select private.audit($1::uuid, 'update', 'power', 'plug', $2::jsonb)`, [actor, details]);
  return {
    set: (on, actor) =>
      refuseIfUnreachable(async () => {
        await audit(actor, { on });
        await power.set(on);
        if ((await power.isOn()) !== on) throw new ProviderError('plug', 'did_not_switch', { retryable: true });
      }),
    test: (actor) =>
      refuseIfUnreachable(async () => {
        await audit(actor, { test: true });
        await power.pulse(TEST_SECONDS);
      }),
  };
}
