import { DEMO_DOMAIN } from '../demo-accounts.ts';

const FIRST =
  'Ava Ben Chloe Dan Ella Finn Grace Hugo Isla Jack Kira Leo Mia Noah Olive Priya Quinn Ruby Sam Tara'.split(' ');
const LAST =
  'Adams Brown Chen Davis Evans Foster Green Hall Ito Jones Kelly Lee Martin Nguyen Owen Patel Reid Singh Tran Wong'.split(
    ' ',
  );

export type DemoPerson = { readonly name: string; readonly email: string; readonly phone: string };

/** Returns fictitious customers with distinct names. */
export function makePeople(count: number): readonly DemoPerson[] {
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = [FIRST[index % 20] ?? '', LAST[(index * 7 + Math.floor(index / 20)) % 20] ?? ''];
    return {
      name: `${first} ${last}`,
      email: `${first}.${last}@${DEMO_DOMAIN}`.toLowerCase(),
      phone: `+614000000${String(index).padStart(2, '0')}`,
    };
  });
}
