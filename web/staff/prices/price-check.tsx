import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { getPriceList, quoteSlots, type Rates, findSpecialDays } from '#rules/pricing.ts';
import { nextSlot, type Slot, slotRangeLabel } from '#rules/slots.ts';
import { addDays, formatStudioDate, hourExists, isStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { nameOfHour } from './price-cells.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: nameOfHour(hour) }));
const COUNTS = Array.from({ length: 24 }, (_, index) => ({ value: String(index + 1), label: String(index + 1) }));

/** Shows what a booking would cost, and the price list of each of its hours. */
export function PriceCheck({ rates, today, unsaved }: { rates: Rates; today: StudioDate; unsaved: boolean }) {
  const [day, setDay] = useState(() => addDays(today, 1));
  const [hour, setHour] = useState('18');
  const [count, setCount] = useState('2');
  return (
    <section aria-label="Price check" className="space-y-4 bg-booth p-5">
      <h3 className="text-2xl">Price check</h3>
      {unsaved ? <p className="text-sm text-warn">Uses your unsaved prices.</p> : null}
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Day"
          type="date"
          value={day}
          onChange={(event) => setDay(event.target.value)}
          className="col-span-full"
        />
        <SelectField label="Start" options={HOURS} value={hour} onChange={(event) => setHour(event.target.value)} />
        <SelectField label="Hours" options={COUNTS} value={count} onChange={(event) => setCount(event.target.value)} />
      </div>
      <Answer slots={slotsFrom(day, Number(hour), Number(count))} rates={rates} />
    </section>
  );
}

/** Returns consecutive hours; none if the first hour does not exist. */
function slotsFrom(date: string, hour: number, count: number): readonly Slot[] {
  if (!isStudioDate(date) || date < '2000-01-01' || !hourExists(date, hour)) return [];
  const slots: Slot[] = [{ date, hour }];
  for (let last: Slot = { date, hour }; slots.length < count;) slots.push((last = nextSlot(last)));
  return slots;
}

function Answer({ slots, rates }: { slots: readonly Slot[]; rates: Rates }) {
  if (slots.length === 0) return <p className="text-fog">Choose a day and an hour that exists.</p>;
  const quote = quoteSlots(slots, rates);
  return (
    <>
      <Table caption="Price per hour" columns={['Hour', 'Price', 'From']}>
        {quote.slots.map((slot) => (
          <Row key={`${slot.date} ${slot.hour}`}>
            <Cell label="Hour">
              {slotRangeLabel(slot.hour)}, {formatStudioDate(slot.date, 'short')}
            </Cell>
            <Cell label="Price">{formatMoney(slot.priceCents)}</Cell>
            <Cell label="From">{nameRule(slot.date, rates)}</Cell>
          </Row>
        ))}
      </Table>
      <p className="text-fog">
        {formatMoney(quote.baseCents)} for the hours
        {quote.discountCents > 0
          ? `, less ${quote.discountPercent}% volume discount (${formatMoney(quote.discountCents)})`
          : ''}
      </p>
      <p className="text-3xl font-extrabold">
        <span className="text-base font-normal text-fog">Total </span>
        {formatMoney(quote.totalCents)}
      </p>
    </>
  );
}

function nameRule(date: StudioDate, rates: Rates): string {
  const special = findSpecialDays(date, rates);
  if (special) return `Special days: ${special.name}`;
  return nameList(getPriceList(date, rates).validFrom);
}

/** Names a price list by the day on which it begins. */
export const nameList = (validFrom: StudioDate): string =>
  validFrom <= '2000-01-01' ? 'Original prices' : `Prices from ${formatStudioDate(validFrom, 'medium')}`;
