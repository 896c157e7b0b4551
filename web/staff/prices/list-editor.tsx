import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type PriceList,
  getPriceList,
  type Rates,
  type VolumeStep,
  getVolumePercents,
  volumeSteps,
} from '#rules/pricing.ts';
import { addDays, formatStudioDate, isStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useKept } from '#web/lib/use-form-draft.ts';
import { Button } from '#web/ui/button.tsx';
import { Check } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { KeptNotice } from '#web/ui/form/kept-notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { listChanges } from './price-cells.ts';
import { PriceCheck } from './price-check.tsx';
import { PriceEditor } from './price-editor.tsx';
import { PricePreview } from './price-preview.tsx';
import { setPrices } from './queries.ts';
import { VolumeDiscount } from './volume-discount.tsx';
import { mondayFirst, sundayFirst, WEEK } from './week.ts';

type Studio = { readonly id: string; readonly name: string };

type Draft = {
  readonly cents: readonly number[];
  readonly steps: readonly VolumeStep[];
  readonly from: StudioDate;
  readonly everywhere: boolean;
};
const firstDraft = (before: PriceList, today: StudioDate): Draft => ({
  cents: before.hourCents,
  steps: volumeSteps(before),
  from: addDays(today, 1),
  everywhere: false,
});

/** Edits the prices of a week from a day on, next to the price of an example booking with these prices. */
export function ListEditor({ studio, rates, today }: { studio: Studio; rates: Rates; today: StudioDate }) {
  const [before] = useState(() => getPriceList(today, rates));
  const draft = useKept(`prices:${studio.id}`, firstDraft(before, today));
  const { cents, steps, from, everywhere } = draft.value;
  const [preview, setPreview] = useState(false);
  const list: PriceList = { validFrom: from, hourCents: cents, volumePercents: getVolumePercents(steps) };
  const old = isStudioDate(from) && from >= today ? getPriceList(from, rates) : before;
  const changes = listChanges(mondayFirst(old.hourCents), mondayFirst(cents));
  const changed = changes.length > 0 || old.volumePercents.join() !== list.volumePercents.join();
  const save = useMutation({
    mutationFn: () =>
      setPrices({
        studioId: everywhere ? null : studio.id,
        validFrom: from,
        prices: { hourCents: [...cents], volumePercents: getVolumePercents(steps) },
      }),
    meta: { handled: true, invalidates: [queryKeys.prices.all, queryKeys.studios.all] },
    onSuccess: () => {
      toast({ title: 'Prices saved', description: `They apply from ${formatStudioDate(from, 'medium')}.` });
      draft.saved();
      setPreview(false);
    },
  });
  return (
    <div className="grid gap-8 xl:grid-cols-[1fr_24rem]">
      {draft.isRestored ? (
        <div className="xl:col-span-2">
          <KeptNotice onDiscard={draft.discard} />
        </div>
      ) : null}
      <PriceEditor
        caption={`Prices for ${studio.name}`}
        columns={WEEK}
        cents={mondayFirst(cents)}
        onChange={(next) => draft.change({ cents: sundayFirst(next) })}
      />
      <div className="space-y-8">
        <VolumeDiscount steps={steps} onChange={(next) => draft.change({ steps: next })} />
        <div className="space-y-3">
          <Field
            label="Valid from"
            type="date"
            min={today}
            value={from}
            onChange={(event) => draft.change({ from: event.target.value })}
            hint="Existing bookings keep their price."
          />
          <Check checked={everywhere} onChange={(event) => draft.change({ everywhere: event.target.checked })}>
            For all rooms
          </Check>
          <Button
            disabled={!isStudioDate(from) || from < today || !(changed || everywhere)}
            onClick={() => setPreview(true)}
          >
            Preview
          </Button>
        </div>
        <PriceCheck
          rates={changed && isStudioDate(from) ? withList(rates, list) : rates}
          today={today}
          unsaved={changed}
        />
      </div>
      <Dialog open={preview} title="Save these prices?" onClose={() => setPreview(false)} wide>
        <PricePreview
          studio={studio.name}
          everywhere={everywhere}
          from={from}
          changes={changes}
          columns={WEEK}
          steps={steps}
          problem={save.isError ? describeError(save.error, 'The prices were not saved. Check your connection.') : null}
          busy={save.isPending}
          onSave={() => save.mutate()}
          onBack={() => setPreview(false)}
        />
      </Dialog>
    </div>
  );
}

/** Returns the prices with a list added. It replaces a list that begins on the same day. */
const withList = ({ lists, specialDays }: Rates, list: PriceList): Rates => ({
  lists: [...lists.filter(({ validFrom }) => validFrom !== list.validFrom), list],
  specialDays,
});
