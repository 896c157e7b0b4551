import { createHash, randomBytes } from 'node:crypto';
import type { Core } from '../core/core.ts';

/** A person's consent, which is kept until its code is exchanged. */
export type Grant = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly sub: string;
  readonly scope: string;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly until: number;
};
export type Grants = {
  /** Stores a grant and returns its code. */
  add(grant: Omit<Grant, 'until'>): string;
  /** Takes a grant. Returns null for an unknown or used code. A second use also revokes the tokens of the first (RFC 6749, 4.1.2). */
  take(code: string): Grant | null;
  /** Issues an access token for the account's data. */
  token(code: string, grant: Grant): string;
  read(token: string): Pick<Grant, 'sub' | 'scope'> | null;
  reset(): void;
};

const CODE_MS = 60_000;
const TOKEN_MS = 3_600_000;

export function createGrants(core: Core): Grants {
  const codes = new Map<string, Grant | null>();
  const tokens = new Map<string, { sub: string; scope: string; until: number; code: string }>();
  const now = (): number => core.now().getTime();
  return {
    add(grant) {
      const code = randomBytes(24).toString('base64url');
      codes.set(code, { ...grant, until: now() + CODE_MS });
      return code;
    },
    take(code) {
      const grant = codes.get(code);
      if (grant === null) for (const [token, of] of tokens) if (of.code === code) tokens.delete(token);
      if (!grant) return null;
      codes.set(code, null);
      return grant.until > now() ? grant : null;
    },
    token(code, { sub, scope }) {
      const token = `ya29.${randomBytes(32).toString('base64url')}`;
      tokens.set(token, { sub, scope, until: now() + TOKEN_MS, code });
      return token;
    },
    read(token) {
      const found = tokens.get(token);
      return found && found.until > now() ? found : null;
    },
    reset() {
      codes.clear();
      tokens.clear();
    },
  };
}

/** Checks a verifier against its challenge (RFC 7636, S256). */
export function fitsChallenge(verifier: string | null, challenge: string | null): boolean {
  if (challenge === null) return verifier === null;
  if (verifier === null || !/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
