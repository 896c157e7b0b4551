import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import { settings } from '#rules/venue.ts';
import { describeError } from '#web/lib/errors.ts';
import { type Coupon, CouponRefused, validateCoupon } from './queries.ts';

export type CouponState = {
  /** What is taken off the price. */
  readonly applied: Coupon | null;
  /** A code that counts from more hours than are chosen. */
  readonly tooShort: Coupon | null;
  /** A code of before that is being looked up: no price can be named yet. */
  readonly checking: string | null;
  /** A code of before that could not be looked up: it may still be good. */
  readonly unsure: string | null;
  /** A code of before that is worth nothing any more, and why. */
  readonly lost: { readonly code: string; readonly message: string } | null;
  /** For the server: the code, '' for none, null when the person said nothing and a hold of theirs decides. */
  readonly wire: string | null;
  readonly apply: (coupon: Coupon) => void;
  readonly remove: () => void;
  /** The server refused the code: it counts no more on this page, and after a reload it is looked up and told of anew. */
  readonly refuse: () => void;
  readonly lookAgain: () => void;
};

/**
 * The coupon of a booking page. It comes back from `held`, the frozen coupon of one's own hold of these hours (undefined while that is
 * unknown), or from `kept`, the code this browser or the draft on the server has; what the person does on the page counts before both.
 */
export function useCoupon(parts: {
  hours: number;
  kept: string | null;
  held: CouponTerms | null | undefined;
  onChange: (coupon: Coupon | null) => void;
}): CouponState {
  const { hours, kept, held } = parts;
  // Null until the person does something here.
  const [own, setOwn] = useState<{ readonly coupon: Coupon | null } | null>(null);
  const frozen = held && (kept === null || kept === held.code) ? { ...held, minHours: null } : null;
  const lookUp = own === null && held !== undefined && frozen === null && kept !== null && hours > 0;
  const found = useQuery({
    queryKey: ['coupon', kept],
    // For the longest booking: a code that counts from more hours than are chosen now is kept for when they are.
    queryFn: () => validateCoupon(kept ?? '', settings.maxHours),
    enabled: lookUp,
    retry: 0,
    staleTime: Infinity,
    // What was refused or could not be asked is asked anew by the next page.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const coupon = own ? own.coupon : (frozen ?? (lookUp ? (found.data ?? null) : null));
  const tooShort = coupon !== null && coupon.minHours !== null && hours > 0 && hours < coupon.minHours;
  const waiting = own === null && kept !== null && (held === undefined || (lookUp && found.isFetching));
  const failed = lookUp && found.isError && !found.isFetching ? found.error : null;
  const choose = (next: Coupon | null): void => {
    setOwn({ coupon: next });
    parts.onChange(next);
  };
  const gone = own?.coupon === null || tooShort || failed instanceof CouponRefused;
  return {
    applied: tooShort ? null : coupon,
    tooShort: tooShort ? coupon : null,
    checking: waiting ? kept : null,
    unsure: failed !== null && !(failed instanceof CouponRefused) ? kept : null,
    lost:
      failed instanceof CouponRefused
        ? { code: kept ?? '', message: describeError(failed, 'Invalid coupon code') }
        : null,
    wire: gone ? '' : (coupon?.code ?? null),
    apply: choose,
    remove: () => choose(null),
    refuse: () => setOwn({ coupon: null }),
    lookAgain: () => void found.refetch(),
  };
}
