import type { Config } from '#server/config/operating/config.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** From this difference on, signatures of webhooks and codes of authenticator apps begin to fail. */
const WRONG_MS = 30_000;
const OFF_MS = 2_000;
const ADVICE = 'Keep both clocks right with NTP: timedatectl set-ntp true';

/** Compares this machine's clock with another; both are in milliseconds. */
export function clockFinding(other: string, here: number, there: number): Finding {
  const off = Math.abs(here - there);
  const text = `${(off / 1000).toFixed(1)} s apart from ${other}`;
  if (off >= WRONG_MS) return fail(text, ADVICE);
  return off >= OFF_MS ? warn(text, ADVICE) : ok(text);
}

const TIMEOUT_MS = 10_000;

/** Compares the clock with the payment provider's: its webhooks are refused if the clocks differ too much. */
export async function clockFindings({ stripe }: Pick<Config, 'stripe'>): Promise<Finding[]> {
  const before = Date.now();
  const answer = await fetch(stripe.apiUrl ?? 'https://api.stripe.com', {
    method: 'HEAD',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const there = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(there)) return [warn('the payment provider does not report its time', 'Look again later.')];
  // The header has whole seconds, rounded down; half a second is added as the mean error.
  return [clockFinding('the payment provider', (before + Date.now()) / 2, there + 500)];
}
