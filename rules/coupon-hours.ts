import type { Slot } from './slots.ts';
import { weekdayOf } from './studio-time.ts';

/** The hours at which a coupon works, by Sydney's clock; null in all for always. */
export type CouponHours = {
  /** 0 = Sunday. */
  readonly weekdays: readonly number[] | null;
  readonly fromHour: number | null;
  /** The first hour at which it no longer works; over midnight when it is smaller than `fromHour`. */
  readonly untilHour: number | null;
  /** In words, such as "Monday to Thursday from 9 am to 5 pm". */
  readonly worksWhen: string | null;
};

/** Whether a coupon works at all of these hours. For the page only: the database decides (`private.coupon_misses_hours`). */
export function worksAt({ weekdays, fromHour, untilHour }: CouponHours, slots: readonly Slot[]): boolean {
  return slots.every(
    ({ date, hour }) =>
      (weekdays === null || weekdays.includes(weekdayOf(date))) &&
      (fromHour === null || untilHour === null || isBetween(hour, fromHour, untilHour)),
  );
}

const isBetween = (hour: number, from: number, until: number): boolean =>
  from < until ? hour >= from && hour < until : hour >= from || hour < until;
