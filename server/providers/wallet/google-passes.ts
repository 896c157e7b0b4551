import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { GooglePasses, WalletPass } from '../ports.ts';

type Settings = { readonly issuerId: string; readonly email: string; readonly privateKey: string };

const SAVE_URL = 'https://pay.google.com/gp/v/save/';

/** Makes links that save a pass in Google Wallet. The link holds the whole pass, signed: Google is not asked before the customer opens it. */
export function createGooglePasses({ issuerId, email, privateKey }: Settings): GooglePasses {
  const key = createPrivateKey(privateKey);
  return {
    async saveUrl(pass, origin, now) {
      const payload = {
        genericClasses: [{ id: `${issuerId}.session` }],
        genericObjects: [describe(pass, issuerId)],
      };
      const token = await new SignJWT({ typ: 'savetowallet', origins: [origin], payload })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(email)
        .setAudience('google')
        .setIssuedAt(now)
        .sign(key);
      return `${SAVE_URL}${token}`;
    },
  };
}

/** A generic pass: https://developers.google.com/wallet/generic/rest/v1/genericobject. Short, because the link should have at most 1,800 characters. */
function describe(pass: WalletPass, issuerId: string): Record<string, unknown> {
  return {
    // Google keeps the first pass of an id, so a moved booking has another one.
    id: `${issuerId}.${pass.id}-${pass.version}`,
    classId: `${issuerId}.session`,
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
