import { listWords } from '#rules/business/words.ts';

export type NameFields = { readonly first: string; readonly last: string; readonly oneName: boolean };

/** Splits a full name into the first word and the rest. A single word means a person with one name. */
export function splitName(fullName: string | null): NameFields {
  const [first = '', ...rest] = (fullName ?? '').trim().split(/\s+/);
  return { first, last: rest.join(' '), oneName: first !== '' && rest.length === 0 };
}

/** Joins the name fields. If they are invalid, returns the problem and its field. */
export function joinName(name: NameFields): { fullName: string } | { problem: string; field: 'first' | 'last' } {
  const first = name.first.trim();
  const last = name.oneName ? '' : name.last.trim();
  const wrong = (least: number): 'first' | 'last' | null =>
    first.length < least ? 'first' : !name.oneName && last.length < least ? 'last' : null;
  const missing = wrong(1);
  if (missing)
    return { problem: 'Please enter your first and last name as shown on your Australian ID.', field: missing };
  const short = wrong(2);
  if (short) return { problem: 'Please enter valid first and last names.', field: short };
  return { fullName: `${first} ${last}`.trim() };
}

/** Lists what is missing before the payment, such as "phone, ID and terms"; '' if nothing is. */
export function stillNeeded(state: {
  name: NameFields;
  email: string;
  phone: string;
  verified: boolean;
  termsAccepted: boolean;
}): string {
  const missing = [
    state.name.first.trim() === '' ? 'first name' : '',
    !state.name.oneName && state.name.last.trim() === '' ? 'last name' : '',
    state.email.trim() === '' ? 'email' : '',
    state.phone.trim() === '' ? 'phone' : '',
    state.verified ? '' : 'ID',
    state.termsAccepted ? '' : 'terms',
  ].filter((word) => word !== '');
  return listWords(missing);
}
