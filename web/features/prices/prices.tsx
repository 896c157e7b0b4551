import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { priceListOf, type PriceList, type Rates, volumeSteps } from '#rules/pricing.ts';
import { type StudioDate, studioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { ListEditor } from './list-editor.tsx';
import { nameList } from './price-check.tsx';
import { readPrices, setPrices } from './queries.ts';
import { nameRange, SpecialDays } from './special-days.tsx';

type Studio = { readonly id: string; readonly name: string };

/** Prices for staff: the week of each studio, special days, the volume discount, and their history. */
export function Prices({ studios }: { studios: readonly Studio[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const [today] = useState(() => studioDate(new Date()));
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
          <p className="mt-2 text-fog">What an hour costs, GST included. Hours are Sydney time.</p>
        </div>
        <SelectField
          label="Studio"
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

/** Lists the prices of the past, of now and to come; those to come can be removed. */
function History({ studio, rates, today }: { studio: Studio; rates: Rates; today: StudioDate }) {
  const now = priceListOf(today, rates).validFrom;
  const remove = useMutation({
    mutationFn: ({ validFrom }: PriceList) => setPrices({ studioId: studio.id, validFrom, prices: null }),
    meta: { handled: true, invalidates: [queryKeys.prices.all, queryKeys.studios.all] },
    onSuccess: (_done, { validFrom }) => toast({ title: 'Prices removed', description: nameList(validFrom) }),
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'The prices were not removed. Try again.'),
        tone: 'bad',
      }),
  });
  return (
    <section aria-label="All prices">
      <h3 className="mb-4 text-2xl">All prices</h3>
      <Table caption="Price lists, newest first" columns={['From', 'Prices', 'Volume discount', 'Actions']}>
        {rates.lists.map((list) => (
          <Row key={list.validFrom}>
            <Cell label="From">
              {nameList(list.validFrom)}
              {list.validFrom === now ? ' (now)' : list.validFrom > today ? ' (to come)' : ''}
            </Cell>
            <Cell label="Prices">{nameRange(list.hourCents)}</Cell>
            <Cell label="Volume discount">
              {volumeSteps(list)
                .map(({ hours, percent }) => `${percent}% from ${hours} hours`)
                .join(', ') || 'none'}
            </Cell>
            <Cell label="">
              {list.validFrom > today ? (
                <Button tone="plain" busy={remove.isPending} onClick={() => remove.mutate(list)}>
                  Remove <span className="sr-only">{nameList(list.validFrom)}</span>
                </Button>
              ) : null}
            </Cell>
          </Row>
        ))}
      </Table>
    </section>
  );
}
