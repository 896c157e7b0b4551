import { X509Certificate } from 'node:crypto';
import type { Wallets } from '#server/providers/ports.ts';
import type { Config } from '#server/config/operating/config.ts';
import { attempt, fail, type Finding, networkOr, ok, warn } from './finding.ts';

const DAY_MS = 86_400_000;
/** Apple issues a new certificate within minutes, but the operator may take weeks to request it. */
const SOON_DAYS = 30;

/** Reports until when passes can be signed. Files that are unreadable or do not match have stopped the program before this point. */
export function walletFindings({ wallet: { apple, google } }: Pick<Config, 'wallet'>, now: Date): Finding[] {
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

/** No phone has this push token, so Apple rejects it once it has accepted our certificate. */
const NO_PHONE = '0'.repeat(64);

/** Checks whether Apple and Google accept changes of passes. Changes nothing there. */
export async function passServiceFindings({ apple, google }: Wallets, now: Date): Promise<Finding[]> {
  const found = await Promise.all([apple && applePushFindings(apple, now), google && googleFindings(google, now)]);
  return found.flatMap((findings) => findings ?? []);
}

const applePushFindings = (apple: NonNullable<Wallets['apple']>, now: Date): Promise<Finding[]> =>
  attempt('Apple takes no pushes', networkOr(RENEW), async () => {
    const { failed } = await apple.push([NO_PHONE], now);
    return [
      failed === null ? ok(`Apple takes pushes for ${apple.typeId}`) : fail(`Apple refuses pushes: ${failed}`, RENEW),
    ];
  });

const googleFindings = (google: NonNullable<Wallets['google']>, now: Date): Promise<Finding[]> =>
  attempt('Google takes no changes of passes', networkOr(ALLOW), async () => {
    await google.check(now);
    return [ok('Google takes changes of passes')];
  });

const ALLOW =
  'Switch the Google Wallet API on in the project of the service account, and add the account as a user in the Google Wallet console.';
const RENEW =
  'Make a new one in developer.apple.com, Identifiers, Pass Type IDs, set WALLET_APPLE_CERTIFICATE and WALLET_APPLE_KEY, and restart.';
const RENEW_AUTHORITY =
  'Take the current one from apple.com/certificateauthority, set WALLET_APPLE_AUTHORITY_CERTIFICATE, and restart.';

function certificateFinding(name: string, pem: string, now: Date, advice: string): Finding {
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
