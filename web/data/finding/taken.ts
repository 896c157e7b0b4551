import type { Busy } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';

/**
 * A taken span; `status` is that of its booking, or 'closed'. `mine`: the customer's own booking; the hours of an unpaid hold of one's own can be chosen again, unless its payment is
 * `processing`.
 */
export type Taken = Busy & { readonly status: string; readonly mine: boolean; readonly processing?: boolean };
/** Calendar days, both included. */
export type Days = { readonly from: StudioDate; readonly to: StudioDate };

/** Returns the spans that block a selection: all but the customer's own unpaid holds, which the server reuses. */
export function blocking(taken: readonly Taken[]): Taken[] {
  return taken.filter((one) => !(one.mine && one.status === 'pending' && one.processing !== true));
}
