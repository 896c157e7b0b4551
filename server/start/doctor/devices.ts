import type { CheckedConfig } from './checked-config.ts';
import { createLocks } from '../open-adapters.ts';
import { callHttp, refusedBy } from '#server/providers/http-call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { createShellyPower } from '#server/providers/shelly-power.ts';
import { visionHeaders } from '#server/providers/vision-id-reader.ts';
import type { PlugConfig } from '#server/config/plugs.ts';
import { adviceFor, type Finding, findingsOf, reasonOf } from './finding.ts';

const LOW_BATTERY = 20;

/** Whether the account has the bridge and every lock of IGLOOHOME_LOCKS, and whether they answer. */
export async function lockFindings({ igloohome }: Pick<CheckedConfig, 'igloohome'>): Promise<Finding[]> {
  const { ok, warn, fail } = findingsOf('locks');
  const locks = createLocks({ igloohome });
  let devices: Awaited<ReturnType<Locks['check']>>['devices'];
  try {
    devices = (await locks.check()).devices;
  } catch (error) {
    return [
      fail(
        `the locks' cloud: ${reasonOf(error)}`,
        adviceFor(error, 'Check IGLOOHOME_CLIENT_ID and IGLOOHOME_CLIENT_SECRET (igloohome, Developer, API access).'),
      ),
    ];
  }
  const found: Finding[] = [];
  const { bridgeId } = igloohome;
  if (bridgeId === null)
    found.push(
      warn('no bridge: codes are computed and cannot be withdrawn', 'Set IGLOOHOME_BRIDGE_ID when you have a bridge.'),
    );
  else if (!devices.some(({ id }) => id === bridgeId))
    found.push(fail(`the account has no bridge ${bridgeId}`, 'Correct IGLOOHOME_BRIDGE_ID.'));
  // One after the other: a bridge does one thing at a time.
  for (const [studio, lockId] of igloohome.locks) {
    const device = devices.find(({ id }) => id === lockId);
    const name = `${studio} (${lockId})`;
    if (!device) found.push(fail(`the account has no lock for ${name}`, 'Correct IGLOOHOME_LOCKS.'));
    else if ((device.batteryPercent ?? 100) < LOW_BATTERY)
      found.push(warn(`${name}: battery at ${device.batteryPercent} %`, 'Replace the batteries.'));
    if (device) found.push(await answerOf(locks, lockId, name));
  }
  return found.length > 0 ? found : [ok('no lock is named')];
}

async function answerOf(locks: Locks, lockId: string, name: string): Promise<Finding> {
  const { ok, fail } = findingsOf('locks');
  try {
    const { online } = await locks.readStatus({ lockId });
    if (online !== false) return ok(online === null ? `${name} is known` : `${name} answers`);
    return fail(`${name} does not answer`, 'Check the power and network of the bridge, and the batteries of the lock.');
  } catch (error) {
    return fail(`${name}: ${reasonOf(error)}`, 'Look again later; the state of igloohome is at status.igloohome.co.');
  }
}

/** Whether each smart plug answers. */
export async function plugFindings({ plugs }: { readonly plugs: PlugConfig }): Promise<Finding[]> {
  const { ok, fail } = findingsOf('plugs');
  if (plugs.size === 0) return [ok('no plug is named')];
  return Promise.all(
    [...plugs].map(async ([name, url]) => {
      const title = name === '' ? 'the plug of SHELLY_URL' : name;
      try {
        return ok(`${title} is ${(await createShellyPower({ url }).isOn()) ? 'on' : 'off'}`);
      } catch (error) {
        return fail(
          `${title}: ${reasonOf(error)}`,
          'Check its power, its network and its address; it has to end in /rpc.',
        );
      }
    }),
  );
}

const MODEL_TIMEOUT_MS = 10_000;

/** Whether the vision model that reads licence photos is there. Nothing is read, so nothing is paid. */
export async function readerFindings({ vision }: Pick<CheckedConfig, 'vision'>): Promise<Finding[]> {
  const { ok, fail } = findingsOf('id checks');
  if (vision === null) return [ok('licence photos are read on this machine')];
  try {
    const { status } = await callHttp('vision', `${vision.baseUrl}/models/${encodeURIComponent(vision.model)}`, {
      method: 'GET',
      headers: visionHeaders(vision),
      timeoutMs: MODEL_TIMEOUT_MS,
    });
    if (status !== 200) throw refusedBy('vision', status, `http_${status}`);
    return [ok(`the model ${vision.model} reads licence photos`)];
  } catch (error) {
    return [
      fail(
        `the model ${vision.model}: ${reasonOf(error)}`,
        adviceFor(error, 'Check VISION_BASE_URL, VISION_API_KEY and VISION_MODEL, or set ID_READER=ocr.'),
      ),
    ];
  }
}
