import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

/** RFC 6238 with the parameters of all authenticator apps: SHA-1, six digits, thirty seconds. */
const SHAPE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Clocks differ, so codes of one step before and one step after are accepted. */
const WINDOW = 1;

type TotpKey = { readonly secret: string; readonly uri: string; readonly qr_code: string };

/** Creates a secret in base32, its otpauth address, and that address as a QR code in SVG. */
export function makeTotp(issuer: string, label: string): TotpKey {
  const totp = new TOTP({ ...SHAPE, issuer, label, secret: new Secret({ size: SECRET_BYTES }) });
  const uri = totp.toString();
  return { secret: totp.secret.base32, uri, qr_code: renderSVG(uri, { ecc: 'M', border: 4 }) };
}

/** Returns the time step of a code, or null if the code is not valid at `now`. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const totp = new TOTP({ ...SHAPE, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / SHAPE.period) + delta;
}
