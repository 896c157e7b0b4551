import type { ProviderUser } from '#server/providers/ports.ts';
import { refuse } from '../core/errors.ts';

/** A verified identity from an identity provider, a wallet or single sign-on. */
export type ExternalIdentity = {
  /** The stored provider name: 'google', 'web3', 'sso:<id>'. */
  readonly provider: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Whether the account needs an email address. Accounts of wallets do not. */
  readonly needsEmail: boolean;
  readonly sso: boolean;
};

/** Builds the identity of a user whom an identity provider has signed in. Throws if the provider does not name a subject. */
export function toExternalIdentity(provider: string, user: ProviderUser): ExternalIdentity {
  const { subject, email, emailVerified, claims } = user;
  if (subject === '') throw refuse.validation('Missing sub claim');
  return { provider, subject, email, emailVerified, claims, needsEmail: true, sso: false };
}

/** Builds the `identity_data` of an identity's row. */
export function identityData(identity: ExternalIdentity): Record<string, unknown> {
  return {
    ...userData(identity),
    sub: identity.subject,
    provider_id: identity.subject,
    ...(identity.email === null ? {} : { email: identity.email }),
    email_verified: identity.email !== null && identity.emailVerified,
    phone_verified: false,
  };
}

/** Builds the initial profile data of an account. Its owner can change it. */
export function userData({ claims }: ExternalIdentity): Record<string, unknown> {
  const name = claims['name'];
  const picture = claims['picture'];
  return {
    ...claims,
    ...(typeof name === 'string' ? { full_name: name } : {}),
    ...(typeof picture === 'string' ? { avatar_url: picture } : {}),
  };
}
