import { z } from 'zod';
import { priceListChangeSchema, specialDaysChangeSchema } from '#rules/price-list.ts';
import { defineCall } from '../core/define-call.ts';
import { eitherShape } from '../core/either-shape.ts';

const isOfSpecialDays = (body: unknown): boolean => body !== null && typeof body === 'object' && 'firstDay' in body;

export const staffSetPrices = defineCall({
  name: 'staff-set-prices',
  summary:
    'Sets the price list from a day on, or the prices of special days, of one room or with `studioId` null of all ' +
    'rooms. Without prices (null) it removes the list that begins on that day, or those special days. Answers with ' +
    'the change.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 60, seconds: 60 },
  body: eitherShape(isOfSpecialDays, specialDaysChangeSchema, priceListChangeSchema),
  answer: z.union([z.strictObject(specialDaysChangeSchema.shape), z.strictObject(priceListChangeSchema.shape)]),
  refusals: {
    not_found: { message: 'No prices start on that day.' },
    too_late: { message: 'Prices already in effect can’t be changed. Choose a later day.' },
    days_overlap: { message: 'Some of these days already have special prices. Remove those first.' },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      firstDay: '2031-12-24',
      lastDay: '2031-12-26',
      prices: { name: 'Christmas', hourCents: Array.from({ length: 24 }, () => 6900) },
    },
    answer: {
      studioId: '55555555-5555-4555-8555-555555555555',
      firstDay: '2031-12-24',
      lastDay: '2031-12-26',
      prices: { name: 'Christmas', hourCents: Array.from({ length: 24 }, () => 6900) },
    },
  },
});
