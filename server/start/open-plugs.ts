import type { Plugs } from '#server/operations/core/services.ts';
import type { Circuit } from '#server/providers/circuit.ts';
import { guardPower } from '#server/providers/guarded.ts';
import { createShellyPower } from '#server/providers/shelly-power.ts';
import type { PlugConfig } from '#server/config/plugs.ts';

/** Creates the plugs, each with its own circuit breaker, so that a plug that does not answer does not block the others. */
export function openPlugs(
  settings: PlugConfig,
  createBreaker: (provider: string) => Circuit,
): { plugs: Plugs; circuits: readonly Circuit[] } {
  const entries = [...settings].map(([name, url]) => {
    const circuit = createBreaker(name === '' ? 'plug' : `plug ${name}`);
    return { name, circuit, power: guardPower(createShellyPower({ url }), circuit) };
  });
  return {
    plugs: new Map(entries.map(({ name, power }) => [name, power])),
    circuits: entries.map(({ circuit }) => circuit),
  };
}
