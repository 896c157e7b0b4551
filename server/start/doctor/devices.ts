import type { Config } from '#server/config/operating/config.ts';
import { createLocks } from '../open-adapters.ts';
import { callHttp, refusedBy } from '#server/providers/http-call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { createShellyPower } from '#server/providers/shelly-power.ts';
import { visionHeaders } from '#server/providers/vision-id-reader.ts';
import { attempt, fail, type Finding, networkOr, ok, warn } from './finding.ts';

const LOW_BATTERY = 20;

/** Checks whether the account has the bridge and every lock in IGLOOHOME_LOCKS, and whether they answer. */
export function lockFindings({ igloohome }: Pick<Config, 'igloohome'>): Promise<Finding[]> {
  const { bridgeId } = igloohome;
  const locks = createLocks({ igloohome });
  const advice = 'Check IGLOOHOME_CLIENT_ID and IGLOOHOME_CLIENT_SECRET (igloohome, Developer, API access).';
  return attempt("the locks' cloud", networkOr(advice), async () => {
    const { devices } = await locks.check();
    const found: Finding[] = [];
    if (bridgeId === null)
      found.push(
        warn(
          'no bridge: codes are computed and cannot be withdrawn',
          'Set IGLOOHOME_BRIDGE_ID when you have a bridge.',
        ),
      );
    else if (!devices.some(({ id }) => id === bridgeId))
      found.push(fail(`the account has no bridge ${bridgeId}`, 'Correct IGLOOHOME_BRIDGE_ID.'));
    // The locks are checked one after the other because a bridge handles one command at a time.
    for (const [studio, lockId] of igloohome.locks) {
      const device = devices.find(({ id }) => id === lockId);
      const name = `${studio} (${lockId})`;
      if (!device) found.push(fail(`the account has no lock for ${name}`, 'Correct IGLOOHOME_LOCKS.'));
      else if ((device.batteryPercent ?? 100) < LOW_BATTERY)
        found.push(warn(`${name}: battery at ${device.batteryPercent} %`, 'Replace the batteries.'));
      if (device) found.push(...(await answerFindings(locks, lockId, name)));
    }
    return found.length > 0 ? found : [ok('no lock is named')];
  });
}

function answerFindings(locks: Locks, lockId: string, name: string): Promise<Finding[]> {
  return attempt(name, 'Look again later; the state of igloohome is at status.igloohome.co.', async () => {
    const { online } = await locks.readStatus({ lockId });
    if (online !== false) return [ok(online === null ? `${name} is known` : `${name} answers`)];
    const advice = 'Check the power and network of the bridge, and the batteries of the lock.';
    return [fail(`${name} does not answer`, advice)];
  });
}

/** Checks whether each smart plug answers. */
export async function plugFindings({ plugs }: Pick<Config, 'plugs'>): Promise<Finding[]> {
  if (plugs.size === 0) return [ok('no plug is named')];
  const found = [...plugs].map(([name, url]) => {
    const title = name === '' ? 'the plug of SHELLY_URL' : name;
    return attempt(title, 'Check its power, its network and its address; it has to end in /rpc.', async () => [
      ok(`${title} is ${(await createShellyPower({ url }).isOn()) ? 'on' : 'off'}`),
    ]);
  });
  return (await Promise.all(found)).flat();
}

const MODEL_TIMEOUT_MS = 10_000;

/** Checks whether the vision model that reads licence photos is available. It reads no photo, so the check costs nothing. */
export async function readerFindings({ vision }: Pick<Config, 'vision'>): Promise<Finding[]> {
  if (vision === null) return [ok('licence photos are read on this machine')];
  const { baseUrl, model } = vision;
  const advice = 'Check VISION_BASE_URL, VISION_API_KEY and VISION_MODEL, or set ID_READER=ocr.';
  return attempt(`the model ${model}`, networkOr(advice), async () => {
    const { status } = await callHttp('vision', `${baseUrl}/models/${encodeURIComponent(model)}`, {
      method: 'GET',
      headers: visionHeaders(vision),
      timeoutMs: MODEL_TIMEOUT_MS,
    });
    if (status !== 200) throw refusedBy('vision', status, `http_${status}`);
    return [ok(`the model ${model} reads licence photos`)];
  });
}
