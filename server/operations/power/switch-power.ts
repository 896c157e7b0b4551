import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { SHARED_PLUG } from './plugs.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** How many seconds a test keeps the plug on. */
const TEST_SECONDS = 2;

/**
 * Switches the plug of a room, or the default plug if the room has none or no room is given. Verifies the new state and writes the audit
 * log. Throws `Refusal('not_found')`, `Refusal('provider_unavailable')`.
 */
export async function switchPower(
  services: Services,
  { on, studioId }: { readonly on: boolean; readonly studioId: string | null },
  actor: string,
): Promise<void> {
  const plug = studioId === null ? SHARED_PLUG : await readPlug(services, studioId);
  await setLights(services, { plug, power: getPower(services, plug), on }, { actor });
}

/** Writes the audit log, switches a plug and verifies its new state. `actor`: null for a mailed link. Throws `Refusal('provider_unavailable')`. */
export async function setLights(
  services: Services,
  { plug, power, on }: { readonly plug: string; readonly power: Power; readonly on: boolean },
  { actor, ...details }: { readonly actor: string | null; readonly bookingId?: string },
): Promise<void> {
  await audit(services, actor, plug, { on, ...details });
  await refuseIfUnreachable(async () => {
    await power.set(on);
    if ((await power.isOn()) !== on) throw new ProviderError('plug', 'did_not_switch', { retryable: true });
  });
  await callSql(services.db, 'announce_lights', {});
}

/** Switches the default plug on for two seconds; the plug switches itself off. Throws `Refusal('provider_unavailable')`. */
export async function testPower(services: Services, actor: string): Promise<void> {
  await audit(services, actor, SHARED_PLUG, { test: true });
  await refuseIfUnreachable(() => getPower(services, SHARED_PLUG).pulse(TEST_SECONDS));
}

async function readPlug({ db }: Services, studioId: string): Promise<string> {
  const room = await db.queryRow<{ plug: string | null }>(
    'select p.plug from public.studios s left join private.studio_plug p on p.studio_id = s.id where s.id = $1::uuid',
    [studioId],
  );
  if (room === null) throw new Refusal('not_found', 'Studio not found');
  return room.plug ?? SHARED_PLUG;
}

function getPower({ plugs }: Services, plug: string): Power {
  const power = plugs.get(plug);
  if (power === undefined)
    throw new Refusal(
      'provider_unavailable',
      plug === SHARED_PLUG
        ? 'No plug is set up for this. Ask the operator to set one up.'
        : `The plug “${plug}” is not set up. Ask the operator to set it up.`,
    );
  return power;
}

async function audit(
  { db }: Services,
  actor: string | null,
  plug: string,
  details: { readonly on?: boolean; readonly bookingId?: string; readonly test?: true },
): Promise<void> {
  await recordAudit(db, {
    actor,
    action: 'update',
    resource: 'power',
    id: plug === SHARED_PLUG ? 'plug' : plug,
    details,
  });
}

async function refuseIfUnreachable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal('provider_unavailable', 'We can’t reach the smart plug.');
  }
}
