import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { getPriceList, type Rates, type SpecialDays as Days } from '#rules/pricing.ts';
import { addDays, formatStudioDate, isStudioDate, type StudioDate, getWeekday } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { Check } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { PriceEditor } from './price-editor.tsx';
import { setPrices } from './queries.ts';
import { RemoveButton } from './remove-button.tsx';

type Studio = { readonly id: string; readonly name: string };
type Place = { readonly studio: Studio; readonly rates: Rates; readonly today: StudioDate };

/** Lists days with their own prices, which staff can add and remove. */
export function SpecialDays({ studio, rates, today }: Place) {
  const [adding, setAdding] = useState(false);
  return (
    <section aria-label="Special days">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-4">
        <h3 className="text-2xl">Special days</h3>
        <Button tone="plain" onClick={() => setAdding(true)}>
          Add special days
        </Button>
      </div>
      {rates.specialDays.length === 0 ? (
        <Empty>No special days yet.</Empty>
      ) : (
        <Table caption="Special days" columns={['Name', 'Days', 'Prices', 'Actions']}>
          {rates.specialDays.map((days) => (
            <Row key={days.firstDay}>
              <Cell label="Name">{days.name}</Cell>
              <Cell label="Days">{nameDays(days)}</Cell>
              <Cell label="Prices">{nameRange(days.hourCents)}</Cell>
              <Cell label="">
                {days.firstDay > today || days.lastDay > today ? (
                  <RemoveButton
                    label={days.firstDay > today ? 'Remove' : 'End today'}
                    name={days.name}
                    text="The remaining days then have the usual weekly prices."
                    change={{ studioId: studio.id, firstDay: days.firstDay, lastDay: days.lastDay, prices: null }}
                  />
                ) : null}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Dialog open={adding} title="Add special days" onClose={() => setAdding(false)} wide>
        {adding ? <NewDays studio={studio} rates={rates} today={today} onDone={() => setAdding(false)} /> : null}
      </Dialog>
    </section>
  );
}

function NewDays({ studio, rates, today, onDone }: Place & { onDone: () => void }) {
  const [name, setName] = useState('');
  const [firstDay, setFirst] = useState(() => addDays(today, 1));
  const [lastDay, setLast] = useState(firstDay);
  const [everywhere, setEverywhere] = useState(false);
  const [cents, setCents] = useState(() => dayPrices(firstDay, rates));
  const save = useMutation({
    mutationFn: () =>
      setPrices({
        studioId: everywhere ? null : studio.id,
        firstDay,
        lastDay,
        prices: { name, hourCents: [...cents] },
      }),
    meta: { handled: true, invalidates: [queryKeys.prices.all, queryKeys.studios.all] },
    onSuccess: () => {
      toast({ title: 'Special days saved', description: name });
      onDone();
    },
  });
  return (
    <div className="space-y-4">
      <Field label="Name" required maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
      <div className="grid grid-cols-2 gap-4">
        <Field
          label="First day"
          type="date"
          min={today}
          value={firstDay}
          onChange={(event) => {
            const day = event.target.value;
            setFirst(day);
            if (day > lastDay) setLast(day);
            if (isStudioDate(day) && day >= today) setCents(dayPrices(day, rates));
          }}
        />
        <Field
          label="Last day"
          type="date"
          min={firstDay}
          value={lastDay}
          onChange={(event) => setLast(event.target.value)}
        />
      </div>
      <PriceEditor caption="Prices for these days" columns={['Each day']} cents={cents} onChange={setCents} />
      <Check checked={everywhere} onChange={(event) => setEverywhere(event.target.checked)}>
        For all rooms
      </Check>
      <Failure action={save} text="The special days were not saved. Check your connection." className="text-bad" />
      <Button busy={save.isPending} disabled={name.trim() === ''} onClick={() => save.mutate()}>
        Save special days
      </Button>
    </div>
  );
}

/** Returns the prices of an ordinary day, as initial values. */
const dayPrices = (day: StudioDate, rates: Rates): readonly number[] =>
  getPriceList(day, rates).hourCents.slice(getWeekday(day) * 24, getWeekday(day) * 24 + 24);

const nameDays = ({ firstDay, lastDay }: Days): string =>
  firstDay === lastDay
    ? formatStudioDate(firstDay, 'medium')
    : `${formatStudioDate(firstDay, 'medium')} to ${formatStudioDate(lastDay, 'medium')}`;

/** Formats a range of prices: "$49", or "$49 to $69". */
export function nameRange(cents: readonly number[]): string {
  const [low, high] = [Math.min(...cents), Math.max(...cents)];
  return low === high ? formatMoney(low) : `${formatMoney(low)} to ${formatMoney(high)}`;
}
