import { centsToDollars } from '#rules/money.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { type Slot, spanOf } from '#rules/slots.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';

/** A selection as it goes to checkout; times as instants, money in dollars. */
export function draftOf(studio: { id: string; name: string }, slots: readonly Slot[]): BookingDraft {
  const quote = quoteSlots(slots);
  const span = spanOf(slots);
  return {
    studio_id: studio.id,
    studio_name: studio.name,
    start_time: span.start.toISOString(),
    end_time: span.end.toISOString(),
    total_hours: quote.hours,
    base_cost: centsToDollars(quote.baseCents),
    discount_amount: centsToDollars(quote.discountCents),
    final_cost: centsToDollars(quote.totalCents),
    slots: quote.slots.map((slot) => ({
      hour: slot.hour,
      label: slot.label,
      date: slot.date,
      price: centsToDollars(slot.priceCents),
    })),
  };
}
