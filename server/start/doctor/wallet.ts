import { X509Certificate } from 'node:crypto';
import type { CheckedConfig } from './checked-config.ts';
import { type Finding, findingsOf } from './finding.ts';

const DAY_MS = 86_400_000;
/** A new certificate takes Apple minutes and people weeks. */
const SOON_DAYS = 30;

/** Until when passes can be signed. Files that are unreadable or do not belong together have stopped the program before. */
export function walletFindings({ wallet: { apple, google } }: Pick<CheckedConfig, 'wallet'>, now: Date): Finding[] {
  const { ok } = findingsOf('wallets');
  return [
    ...(apple === null
      ? []
      : [
          certificateFinding(`the certificate of ${apple.typeId}`, apple.certificate, now, RENEW),
          certificateFinding("Apple's intermediate certificate", apple.authority, now, RENEW_AUTHORITY),
        ]),
    ...(google === null ? [] : [ok(`${google.email} signs passes of the issuer ${google.issuerId}`)]),
  ];
}

const RENEW =
  'Make a new one in developer.apple.com, Identifiers, Pass Type IDs, set WALLET_APPLE_CERTIFICATE and WALLET_APPLE_KEY, and restart.';
const RENEW_AUTHORITY =
  'Take the current one from apple.com/certificateauthority, set WALLET_APPLE_AUTHORITY_CERTIFICATE, and restart.';

function certificateFinding(name: string, pem: string, now: Date, advice: string): Finding {
  const { ok, warn, fail } = findingsOf('wallets');
  const { validFromDate: from, validToDate: until } = new X509Certificate(pem);
  const day = until.toISOString().slice(0, 10);
  if (until <= now) return fail(`${name} ended on ${day}: no passes are made`, advice);
  if (from > now)
    return fail(`${name} begins on ${from.toISOString().slice(0, 10)}: no passes are made`, 'Check the clock.');
  const days = Math.floor((until.getTime() - now.getTime()) / DAY_MS);
  return days < SOON_DAYS
    ? warn(`${name} ends in ${days} days, on ${day}`, advice)
    : ok(`${name} is valid until ${day}`);
}
