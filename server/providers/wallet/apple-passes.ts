import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { zipSync } from 'fflate';
import type { Circuit } from '../circuit.ts';
import type { ApplePasses, PassService, WalletPass } from '../ports.ts';
import { createApplePush } from './apple-push.ts';
import { type Signer, signDetached } from './signature.ts';

/** Certificates and key as PEM; see server/config/wallet.ts. */
type Settings = {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  readonly typeId: string;
  readonly teamId: string;
  /** Apple's address for pushes. */
  readonly pushUrl: string;
};

/** Makes passes for Apple Wallet on this machine, and pushes their changes through Apple. */
export function createApplePasses(settings: Settings, circuit: Pick<Circuit, 'run'>): ApplePasses {
  const signer: Signer = {
    certificate: new X509Certificate(settings.certificate),
    key: createPrivateKey(settings.key),
    authority: new X509Certificate(settings.authority),
  };
  const { validFromDate: from, validToDate: until } = signer.certificate;
  let icons: Promise<ReadonlyMap<string, Buffer>> | null = null;
  const push = createApplePush(settings);
  return {
    typeId: settings.typeId,
    worksAt: (now) => from <= now && now < until && now < signer.authority.validToDate,
    push: (tokens, until) => circuit.run({ operation: 'push' }, () => push(tokens, until)),
    async make(pass, service, now) {
      icons ??= renderIcons();
      const files = new Map<string, Uint8Array>([
        ['pass.json', Buffer.from(JSON.stringify(describe(pass, service, settings)))],
        ...(await icons),
      ]);
      const manifest = Buffer.from(JSON.stringify(Object.fromEntries([...files].map(hashed))));
      files.set('manifest.json', manifest).set('signature', signDetached(manifest, signer, now));
      // The archive is not compressed, because a pass has few files and pictures do not get smaller.
      return Buffer.from(zipSync(Object.fromEntries(files), { level: 0, mtime: now }));
    },
  };
}

/** The format requires SHA-1 here. The signature over all the hashes is made with SHA-256. */
const hashed = ([name, content]: [string, Uint8Array]): [string, string] => [
  name,
  createHash('sha1').update(content).digest('hex'),
];

/** Returns the content of pass.json. Hours are text, because the phone would show an instant in its own time zone. */
function describe(pass: WalletPass, service: PassService, { typeId, teamId }: Settings): Record<string, unknown> {
  return {
    formatVersion: 1,
    passTypeIdentifier: typeId,
    teamIdentifier: teamId,
    // A newer pass of the same booking replaces the one on the phone.
    serialNumber: pass.id,
    webServiceURL: service.url,
    authenticationToken: service.token,
    ...(pass.cancelled ? { voided: true } : shownFrom(pass)),
    organizationName: pass.business,
    description: `${pass.room}, ${pass.day}, ${pass.hours}`,
    logoText: pass.business,
    foregroundColor: 'rgb(245, 243, 239)',
    labelColor: 'rgb(255, 90, 44)',
    backgroundColor: 'rgb(11, 11, 12)',
    expirationDate: pass.end.toISOString(),
    eventTicket: {
      headerFields: [{ key: 'reference', label: 'BOOKING', value: pass.reference }],
      primaryFields: [{ key: 'room', label: 'ROOM', value: pass.room, changeMessage: 'Your session is in %@ now' }],
      secondaryFields: [
        { key: 'day', label: 'DAY', value: pass.day, changeMessage: 'Your session is on %@ now' },
        { key: 'hours', label: 'SYDNEY TIME', value: pass.hours, changeMessage: 'Your session: %@' },
      ],
      auxiliaryFields: [{ key: 'address', label: 'ADDRESS', value: pass.address }],
      backFields: [
        { key: 'note', label: 'This pass', value: pass.note },
        { key: 'link', label: 'Your booking', value: pass.url },
      ],
    },
  };
}

/** The time at which the phone offers the pass on its lock screen. `relevantDate` is for phones before iOS 18. */
const shownFrom = ({ start, end }: WalletPass) => ({
  relevantDate: start.toISOString(),
  relevantDates: [{ startDate: start.toISOString(), endDate: end.toISOString() }],
});

/** Renders the mark of the site (web/public/favicon.svg) in the sizes of a pass. */
async function renderIcons(): Promise<ReadonlyMap<string, Buffer>> {
  const { default: sharp } = await import('sharp');
  const sizes = [
    ['icon.png', 29],
    ['icon@2x.png', 58],
    ['icon@3x.png', 87],
    ['logo.png', 50],
    ['logo@2x.png', 100],
    ['logo@3x.png', 150],
  ] as const;
  const svg = Buffer.from(MARK);
  return new Map(
    await Promise.all(
      sizes.map(
        async ([name, size]) => [name, await sharp(svg, { density: 300 }).resize(size).png().toBuffer()] as const,
      ),
    ),
  );
}

const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" fill="#0b0b0c"/>
<g transform="translate(6.4 6.4) scale(0.8)" fill="none" stroke="#ff5a2c" stroke-width="7"><circle cx="32" cy="32" r="27"/><path d="M32 32V16M32 32H61"/>
<circle cx="32" cy="32" r="7" fill="#ff5a2c" stroke="none"/></g></svg>`;
