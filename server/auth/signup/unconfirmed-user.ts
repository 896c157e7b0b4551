import { toUser } from '../accounts/user-object.ts';
import { type Contact, contactColumn, contactColumns } from '../core/contact.ts';

/** The data of a sign-up that the response contains. `identity` is the id of the account's identity. */
type UnconfirmedUser = {
  readonly id: string;
  readonly identity: string;
  readonly contact: Contact;
  readonly data: Record<string, unknown>;
  readonly now: Date;
};

/** Builds the response to a sign-up. For a taken and for a free address it differs only in the ids. */
export function unconfirmedUser(user: UnconfirmedUser): Record<string, unknown> {
  const { id, contact, data, now } = user;
  const { column: provider } = contactColumn(contact);
  return toUser({
    id,
    ...contactColumns(contact),
    encrypted_password: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    confirmation_sent_at: now,
    recovery_sent_at: null,
    email_change: null,
    email_change_sent_at: null,
    phone_change: null,
    phone_change_sent_at: null,
    reauthentication_sent_at: null,
    invited_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: data,
    banned_until: null,
    deleted_at: null,
    is_anonymous: false,
    is_sso_user: false,
    identities: [unconfirmedIdentity(user)],
    factors: [],
    created_at: now,
    updated_at: now,
  });
}

function unconfirmedIdentity({ id, identity, contact, data, now }: UnconfirmedUser): Record<string, unknown> {
  const { column: provider } = contactColumn(contact);
  return {
    identity_id: identity,
    id,
    user_id: id,
    identity_data: {
      ...('email' in contact ? { ...data, email: contact.email } : { phone: contact.phone }),
      sub: id,
      email_verified: false,
      phone_verified: false,
    },
    provider,
    last_sign_in_at: null,
    created_at: now,
    updated_at: now,
    ...('email' in contact ? { email: contact.email } : {}),
  };
}
