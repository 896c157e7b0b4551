import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PriceListChange, SpecialDaysChange } from '#rules/price-list.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { setPrices } from './queries.ts';

/** Removes prices after a confirmation. `text`: what is charged afterwards. */
export function RemoveButton({
  label,
  name,
  text,
  change,
}: {
  label: string;
  name: string;
  text: string;
  change: PriceListChange | SpecialDaysChange;
}) {
  const [asking, ask] = useState(false);
  const remove = useMutation({
    mutationFn: () => setPrices(change),
    meta: { handled: true, invalidates: [queryKeys.prices.all, queryKeys.studios.all] },
    onSuccess: () => {
      toast({ title: 'Prices removed', description: name });
      ask(false);
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'The prices were not removed. Try again.'),
        tone: 'bad',
      }),
  });
  return (
    <>
      <Button tone="plain" onClick={() => ask(true)}>
        {label} <span className="sr-only">{name}</span>
      </Button>
      <Dialog open={asking} title={`${label}?`} onClose={() => ask(false)}>
        <div className="space-y-4">
          <p>
            {name}. {text} Existing bookings keep their price.
          </p>
          <div className="flex flex-wrap gap-3">
            <Button busy={remove.isPending} onClick={() => remove.mutate()}>
              {label}
            </Button>
            <Button tone="plain" onClick={() => ask(false)}>
              Keep prices
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
