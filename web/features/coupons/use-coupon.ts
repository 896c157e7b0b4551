import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CouponHours, type CouponTerms, worksAt } from '#rules/coupon-discount.ts';
import type { Slot } from '#rules/slots.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { type Coupon, CouponRefused, validateCoupon } from './queries.ts';

export type CouponState = {
  /** The coupon that is deducted from the price. */
  readonly applied: Coupon | null;
  /** A code that does not work for the chosen hours, and why: "needs at least 2 hours", "works Monday to Thursday". */
  readonly unfit: { readonly coupon: Coupon; readonly why: string } | null;
  /** An earlier code that is being checked. The price is unknown until then. */
  readonly checking: string | null;
  /** An earlier code that could not be checked. It may still be valid. */
  readonly unsure: string | null;
  /** An earlier code that no longer works, and why. */
  readonly lost: { readonly code: string; readonly message: string } | null;
  /** The coupon as sent to the server: a code, '' for none, or null if the customer chose nothing, in which case their hold decides. */
  readonly wire: string | null;
  readonly apply: (coupon: Coupon) => void;
  readonly remove: () => void;
  /** Drops a code that the server refused. The code is checked again after a reload. */
  readonly refuse: () => void;
  readonly lookAgain: () => void;
};

/** The coupon of a hold works at any hours, because it was checked when the hold was made. */
const ALWAYS: CouponHours = { weekdays: null, fromHour: null, untilHour: null, worksWhen: null };

/** Returns why a coupon does not work for the chosen hours. Null if it works or no hours are chosen. */
function whyUnfit({ minHours, hours }: Coupon, slots: readonly Slot[]): string | null {
  if (slots.length === 0) return null;
  if (minHours !== null && slots.length < minHours) return `needs at least ${minHours} hours`;
  return worksAt(hours, slots) ? null : `works ${hours.worksWhen}`;
}

/**
 * Holds the coupon of a booking page. What the customer enters on the page takes precedence; then `held`, the frozen coupon of their hold
 * of these hours (undefined while unknown); then `kept`, the code from this browser or from the draft on the server.
 */
export function useCoupon(options: {
  /** The chosen hours, in order. */
  slots: readonly Slot[];
  kept: string | null;
  held: CouponTerms | null | undefined;
  onChange: (coupon: Coupon | null) => void;
}): CouponState {
  const { slots, kept, held } = options;
  // Null until the customer applies or removes a code here.
  const [own, setOwn] = useState<{ readonly coupon: Coupon | null } | null>(null);
  const frozen = held && (kept === null || kept === held.code) ? { ...held, minHours: null, hours: ALWAYS } : null;
  const lookUp = own === null && held !== undefined && frozen === null && kept !== null && slots.length > 0;
  const found = useQuery({
    queryKey: queryKeys.coupon.of(kept),
    // Check the code for the longest booking at any hours, so that a code that does not work for the chosen hours is kept for later.
    queryFn: () => validateCoupon(kept ?? '', null),
    enabled: lookUp,
    retry: 0,
    staleTime: Infinity,
    // The next page checks a refused or unchecked code again.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const coupon = own ? own.coupon : (frozen ?? (lookUp ? (found.data ?? null) : null));
  const why = coupon && whyUnfit(coupon, slots);
  const waiting = own === null && kept !== null && (held === undefined || (lookUp && found.isFetching));
  const failed = lookUp && found.isError && !found.isFetching ? found.error : null;
  const choose = (next: Coupon | null): void => {
    setOwn({ coupon: next });
    options.onChange(next);
  };
  const gone = own?.coupon === null || why !== null || failed instanceof CouponRefused;
  return {
    applied: why === null ? coupon : null,
    unfit: coupon !== null && why !== null ? { coupon, why } : null,
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
