import type { Busy } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';

/**
 * A taken span. `status`: the status of its booking, or 'closed'. `mine`: it is the customer's own booking. The hours of the customer's own
 * unpaid hold can be chosen again, unless its payment is `processing`.
 */
export type Taken = Busy & { readonly status: string; readonly mine: boolean; readonly processing?: boolean };
/** A range of calendar days, both ends included. */
export type Days = { readonly from: StudioDate; readonly to: StudioDate };

/** Returns the spans that block a selection. The customer's own unpaid holds do not, because the server reuses them. */
export function blocking(taken: readonly Taken[]): Taken[] {
  return taken.filter((span) => !(span.mine && span.status === 'pending' && span.processing !== true));
}
