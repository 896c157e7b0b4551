import { timingSafeEqual } from 'node:crypto';
import type { Core } from '../core/core.ts';

const SECRET = 'sandbox-secret';
/** One client for each preset the server has, and one for a provider of no preset. */
const IDS = ['sandbox-google', 'sandbox-apple', 'sandbox-azure', 'sandbox-github', 'sandbox-oidc'];

/** The clients registered here. Like the real ones they come back to one address, letter by letter. */
export type Clients = {
  known(id: string): boolean;
  redirects(to: string): boolean;
  /** Checks the secret out of the header (RFC 6749, 2.3.1) or the form; null: not who it says. */
  authenticate(authorization: string | null, form: URLSearchParams): string | null;
};

export function createClients(core: Core): Clients {
  const redirect = `${core.webhookTarget}/auth/v1/callback`;
  return {
    known: (id) => IDS.includes(id),
    redirects: (to) => to === redirect,
    authenticate(authorization, form) {
      const basic = /^Basic (\S+)$/.exec(authorization ?? '')?.[1];
      const [id = '', secret = ''] =
        basic === undefined
          ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
          : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
      const [given, wanted] = [Buffer.from(secret), Buffer.from(SECRET)];
      return IDS.includes(id) && given.length === wanted.length && timingSafeEqual(given, wanted) ? id : null;
    },
  };
}
