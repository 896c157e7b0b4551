import { formatMoney } from '#rules/money.ts';
import type { Eligibility } from '#web/data/account/eligibility.ts';

/** Describes in one line what follows after Book Now and what it will cost; '' while that is unknown. `eligibility`: null if it could not be read. */
export function nextStep(state: {
  signedIn: boolean;
  eligibility: Eligibility | null | undefined;
  totalCents: number;
}): string {
  const { signedIn, eligibility, totalCents } = state;
  const pay = totalCents === 0 ? 'There’s nothing to pay.' : `You’ll pay ${formatMoney(totalCents)} at the end.`;
  if (!signedIn) return `Next: sign in. ${pay}`;
  if (eligibility === undefined) return '';
  if (eligibility === null) return `Next: your details. ${pay}`;
  if (!eligibility.verified) return `Next: verify your ID. ${pay}`;
  if (!eligibility.termsAccepted) return `Next: your details and the terms. ${pay}`;
  return totalCents === 0
    ? 'Nothing to pay: this books your hours.'
    : `You’ll pay ${formatMoney(totalCents)} on the next page.`;
}
