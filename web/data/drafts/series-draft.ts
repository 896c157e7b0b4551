import type { BookingDraft } from '#web/lib/drafts.ts';

/** Returns the dates of a draft as a field of `create-payment`; nothing for a single booking. */
export const seriesField = ({ series }: BookingDraft): { series?: { dates: readonly string[] } } =>
  series === undefined ? {} : { series: { dates: series.map(({ date }) => date) } };
