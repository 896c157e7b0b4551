import { timingSafeEqual } from 'node:crypto';
import type { Core } from '../core/core.ts';

const SECRET = 'sandbox-secret';
/** The ids of the clients: one for each preset of the server, and one for a provider without a preset. */
const IDS = ['sandbox-google', 'sandbox-apple', 'sandbox-azure', 'sandbox-github', 'sandbox-oidc'];

/** The registered clients. As at real providers, the redirect address must match exactly. */
export type Clients = {
  isRegistered(id: string): boolean;
  allowsRedirect(to: string): boolean;
  /** Returns the client id if the secret in the header (RFC 6749, 2.3.1) or the form is right, otherwise null. */
  authenticate(authorization: string | null, form: URLSearchParams): string | null;
};

export function createClients(core: Core): Clients {
  const redirect = `${core.webhookTarget}/auth/v1/callback`;
  return {
    isRegistered: (id) => IDS.includes(id),
    allowsRedirect: (to) => to === redirect,
    authenticate(authorization, form) {
      const basic = /^Basic (\S+)$/.exec(authorization ?? '')?.[1];
      const [id = '', secret = ''] =
        basic === undefined
          ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
          : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
      const [given, expected] = [Buffer.from(secret), Buffer.from(SECRET)];
      return IDS.includes(id) && given.length === expected.length && timingSafeEqual(given, expected) ? id : null;
    },
  };
}
