import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Circuit } from '../circuit.ts';
import { refusedBy } from '../http-call.ts';
import type { GooglePasses, WalletPass } from '../ports.ts';
import { createGoogleApi, type Method } from './google-api.ts';

type Settings = {
  readonly issuerId: string;
  readonly email: string;
  readonly privateKey: string;
  /** The address at which the service account gets access tokens. */
  readonly tokenUrl: string;
  readonly apiUrl: string;
};

const SAVE_URL = 'https://pay.google.com/gp/v/save/';
/** Google's status for an object that does not exist, and for one that already exists. */
const [MISSING, EXISTS] = [404, 409];

/**
 * Makes links that save a pass in Google Wallet, and changes the passes that were saved. The link contains the whole signed pass, so no
 * request to Google is needed before the customer opens it.
 */
export function createGooglePasses(settings: Settings, circuit: Pick<Circuit, 'run'>): GooglePasses {
  const { issuerId, email, privateKey } = settings;
  const key = createPrivateKey(privateKey);
  const call = createGoogleApi(settings, key);
  const classId = `${issuerId}.session`;

  /** Throws for an answer that is neither a success nor `expected`. */
  async function request(method: Method, path: string, body: unknown, now: Date, expected: number) {
    const status = await call({ method, path, body }, now);
    if (status !== expected && (status < 200 || status > 299))
      throw refusedBy('google-wallet', status, `status ${status}`);
    return status;
  }

  async function update(pass: WalletPass, now: Date): Promise<void> {
    const object = describe(pass, issuerId);
    const change = (expected: number) => request('PATCH', `genericObject/${object['id']}`, object, now, expected);
    if ((await change(MISSING)) !== MISSING) return;
    // The pass is not saved yet. The customer may still open a link with the old hours, so the object is created with the new ones: Google
    // keeps an object that already exists.
    await request('POST', 'genericClass', { id: classId }, now, EXISTS);
    if ((await request('POST', 'genericObject', object, now, EXISTS)) === EXISTS) await change(0);
  }

  return {
    async saveUrl(pass, origin, now) {
      const payload = { genericClasses: [{ id: classId }], genericObjects: [describe(pass, issuerId)] };
      const token = await new SignJWT({ typ: 'savetowallet', origins: [origin], payload })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(email)
        .setAudience('google')
        .setIssuedAt(now)
        .sign(key);
      return `${SAVE_URL}${token}`;
    },
    check: (now) =>
      circuit.run(
        { operation: 'check' },
        async () => void (await request('GET', `genericClass/${classId}`, null, now, MISSING)),
      ),
    update: (pass, now) =>
      circuit.run({ operation: 'update', about: [pass.id] }, () => update(pass, now), UPDATE_BUDGET_MS),
  };
}
/** An update takes up to five requests. */
const UPDATE_BUDGET_MS = 25_000;

/**
 * Returns a generic pass: https://developers.google.com/wallet/generic/rest/v1/genericobject. It is short, because the link should have at
 * most 1,800 characters.
 */
function describe(pass: WalletPass, issuerId: string): Record<string, unknown> & { readonly id: string } {
  return {
    id: `${issuerId}.${pass.id}`,
    classId: `${issuerId}.session`,
    state: pass.cancelled ? 'INACTIVE' : 'ACTIVE',
    cardTitle: english(pass.business),
    subheader: english(`${pass.day}, ${pass.hours}`),
    header: english(pass.room),
    hexBackgroundColor: '#0b0b0c',
    textModulesData: [
      { id: 'a', header: `${pass.reference}, Sydney time`, body: pass.address },
      { id: 'b', body: pass.note },
    ],
    linksModuleData: { uris: [{ id: 'c', uri: pass.url, description: 'Your booking' }] },
    validTimeInterval: { end: { date: pass.end.toISOString() } },
  };
}

const english = (value: string) => ({ defaultValue: { language: 'en', value } });
