import { z } from 'zod';
import { refuse } from './errors.ts';

/** Identifies an account, or receives a code: an email address or a phone number, in the stored form. */
export type Contact = { readonly email: string } | { readonly phone: string };

const emailSchema = z.string().trim().toLowerCase().max(255).pipe(z.email());

/** Reads an email address in the stored form: trimmed, lower case. */
export function readEmail(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (!parsed.success) throw refuse.email();
  return parsed.data;
}

/** Reads a phone number in the stored form, as in Supabase Auth: the digits of E.164 without the plus. */
export function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw refuse.phone();
  return digits;
}

/** Reads the email of a request, or its phone if it has no email. */
export function readContact(body: { email?: string | null | undefined; phone?: string | null | undefined }): Contact {
  return body.email ? { email: readEmail(body.email) } : { phone: readPhone(body.phone ?? '') };
}

/** Returns the column of a contact, and its value. */
export function contactColumn(contact: Contact): { column: 'email' | 'phone'; value: string } {
  return 'email' in contact ? { column: 'email', value: contact.email } : { column: 'phone', value: contact.phone };
}

/** Returns a contact as the values of the columns `email` and `phone`. */
export function contactColumns(contact: Contact): { email: string | null; phone: string | null } {
  return 'email' in contact ? { email: contact.email, phone: null } : { email: null, phone: contact.phone };
}
