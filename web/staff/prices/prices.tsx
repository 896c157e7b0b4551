import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getPriceList, type Rates, volumeSteps } from '#rules/pricing.ts';
import { type StudioDate, studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { SelectField } from '#web/ui/choice.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { ListEditor } from './list-editor.tsx';
import { nameList } from './price-check.tsx';
import { readPrices } from './queries.ts';
import { RemoveButton } from './remove-button.tsx';
import { nameRange, SpecialDays } from './special-days.tsx';

type Studio = { readonly id: string; readonly name: string };

/** Prices for staff: the week of each studio, special days, the volume discount, and the history. */
export function Prices({ studios }: { studios: readonly Studio[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const [today] = useState(() => studioDate(new Date()));
  useLive('staff', queryKeys.prices.all);
  const studio = studios.find(({ id }) => id === chosen) ?? studios[0];
  const prices = useQuery({
    queryKey: queryKeys.prices.of(studio?.id ?? null),
    queryFn: () => readPrices(studio?.id ?? ''),
    enabled: studio !== undefined,
  });
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Prices</h2>
          <p className="mt-2 text-fog">Hourly prices, including GST. Hours are Sydney time.</p>
        </div>
        <SelectField
          label="Room"
          options={studios.map(({ id, name }) => ({ value: id, label: name }))}
          value={studio?.id}
          onChange={(event) => choose(event.target.value)}
          className="w-48"
        />
      </div>
      {prices.isError && !prices.data ? (
        <LoadFailed
          title="The prices could not be loaded."
          why={describeError(prices.error, 'Check your connection.')}
          onRetry={() => void prices.refetch()}
        />
      ) : studio && prices.data ? (
        <div key={studio.id} className="space-y-12">
          <ListEditor studio={studio} rates={prices.data} today={today} />
          <SpecialDays studio={studio} rates={prices.data} today={today} />
          <History studio={studio} rates={prices.data} today={today} />
        </div>
      ) : (
        <Skeleton className="h-96" label="Loading the prices" />
      )}
    </>
  );
}

/** Lists past, current and future prices. Future ones can be removed. */
function History({ studio, rates, today }: { studio: Studio; rates: Rates; today: StudioDate }) {
  const now = getPriceList(today, rates).validFrom;
  return (
    <section aria-label="All prices">
      <h3 className="mb-4 text-2xl">All prices</h3>
      <Table caption="Price lists, newest first" columns={['From', 'Prices', 'Volume discount', 'Actions']}>
        {rates.lists.map((list) => (
          <Row key={list.validFrom}>
            <Cell label="From">
              {nameList(list.validFrom)}
              {list.validFrom === now ? ' (now)' : list.validFrom > today ? ' (upcoming)' : ''}
            </Cell>
            <Cell label="Prices">{nameRange(list.hourCents)}</Cell>
            <Cell label="Volume discount">
              {volumeSteps(list)
                .map(({ hours, percent }) => `${percent}% from ${hours} hours`)
                .join(', ') || 'none'}
            </Cell>
            <Cell label="">
              {list.validFrom > today ? (
                <RemoveButton
                  label="Remove"
                  name={nameList(list.validFrom)}
                  text="The earlier prices then continue to apply."
                  change={{ studioId: studio.id, validFrom: list.validFrom, prices: null }}
                />
              ) : null}
            </Cell>
          </Row>
        ))}
      </Table>
    </section>
  );
}
