import { toUser } from '../accounts/user-object.ts';
import { type Contact, contactColumns } from '../core/contact.ts';

/** Builds the answer of a sign-up. Only the ids differ between a taken and a free address. */
export function unconfirmedUser(of: {
  id: string;
  identity: string;
  contact: Contact;
  data: Record<string, unknown>;
  now: Date;
}): Record<string, unknown> {
  const { id, contact, data, now } = of;
  const provider = 'email' in contact ? 'email' : 'phone';
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
    identities: [
      {
        identity_id: of.identity,
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
      },
    ],
    factors: [],
    created_at: now,
    updated_at: now,
  });
}
