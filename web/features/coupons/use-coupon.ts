import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import { settings } from '#rules/venue.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { type Coupon, CouponRefused, validateCoupon } from './queries.ts';

export type CouponState = {
  /** Deducted from the price. */
  readonly applied: Coupon | null;
  /** A code that needs more hours than are chosen. */
  readonly tooShort: Coupon | null;
  /** An earlier code that is being checked: the price is unknown until then. */
  readonly checking: string | null;
  /** An earlier code that could not be checked: it may still be valid. */
  readonly unsure: string | null;
  /** An earlier code that no longer works, and why. */
  readonly lost: { readonly code: string; readonly message: string } | null;
  /** For the server: the code, '' for none, or null when the customer chose nothing and their hold decides. */
  readonly wire: string | null;
  readonly apply: (coupon: Coupon) => void;
  readonly remove: () => void;
  /** Drops a code that the server refused. After a reload it is checked again. */
  readonly refuse: () => void;
  readonly lookAgain: () => void;
};

/**
 * Holds the coupon of a booking page. What the customer enters on the page comes first, then `held`, the frozen coupon of their hold of these
 * hours (undefined while unknown), then `kept`, the code from this browser or from the draft on the server.
 */
export function useCoupon(options: {
  hours: number;
  kept: string | null;
  held: CouponTerms | null | undefined;
  onChange: (coupon: Coupon | null) => void;
}): CouponState {
  const { hours, kept, held } = options;
  // Null until the customer applies or removes a code here.
  const [own, setOwn] = useState<{ readonly coupon: Coupon | null } | null>(null);
  const frozen = held && (kept === null || kept === held.code) ? { ...held, minHours: null } : null;
  const lookUp = own === null && held !== undefined && frozen === null && kept !== null && hours > 0;
  const found = useQuery({
    queryKey: queryKeys.coupon.of(kept),
    // Check for the longest booking: a code that needs more hours than are chosen now stays for later.
    queryFn: () => validateCoupon(kept ?? '', settings.maxHours),
    enabled: lookUp,
    retry: 0,
    staleTime: Infinity,
    // The next page checks a refused or unchecked code again.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const coupon = own ? own.coupon : (frozen ?? (lookUp ? (found.data ?? null) : null));
  const tooShort = coupon !== null && coupon.minHours !== null && hours > 0 && hours < coupon.minHours;
  const waiting = own === null && kept !== null && (held === undefined || (lookUp && found.isFetching));
  const failed = lookUp && found.isError && !found.isFetching ? found.error : null;
  const choose = (next: Coupon | null): void => {
    setOwn({ coupon: next });
    options.onChange(next);
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
