import type { BookingDraft } from '#web/lib/drafts.ts';

/** The dates of a draft as `create-payment` takes them; nothing for one booking. */
export const seriesField = ({ series }: BookingDraft): { series?: { dates: readonly string[] } } =>
  series === undefined ? {} : { series: { dates: series.map(({ date }) => date) } };
