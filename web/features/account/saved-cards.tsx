import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  isExpired,
  nameOfCard,
  removeSavedCard,
  type SavedCard,
  useSavedCards,
} from '#web/data/account/saved-cards.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';

/** Lists the cards that the account saved on the pay page. Each can be removed. */
export function SavedCards({ userId }: { userId: string }) {
  const cards = useSavedCards(userId);
  return (
    <Loaded query={cards} what="your saved cards" skeleton="h-16">
      {(saved) =>
        saved.length === 0 ? (
          <p className="max-w-prose text-fog">
            No saved card. When you pay, you can choose to save yours. Our payment provider keeps it, and we never see
            the number.
          </p>
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {saved.map((card) => (
              <Card key={card.id} card={card} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Card({ card }: { card: SavedCard }) {
  const [asking, setAsking] = useState(false);
  const expired = isExpired(card, useNow(60_000));
  const remove = useMutation({
    mutationFn: () => removeSavedCard(card.id),
    meta: {
      failure: 'We couldn’t remove that card. Please try again.',
      invalidates: [queryKeys.savedCards.all],
    },
    onSuccess: () => toast({ title: 'Card removed' }),
  });
  const name = nameOfCard(card);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-4">
      <div>
        <p className="font-semibold">{name}</p>
        <p className="text-sm text-fog">
          {expired ? 'Expired' : 'Expires'} {String(card.expiryMonth).padStart(2, '0')}/{card.expiryYear}
        </p>
      </div>
      {asking ? (
        <div role="group" aria-label={`Remove ${name}?`}>
          <Confirm action={remove} keep="Keep it" onKeep={() => setAsking(false)}>
            Remove this card
          </Confirm>
        </div>
      ) : (
        <Button tone="plain" aria-label={`Remove ${name}`} onClick={() => setAsking(true)}>
          Remove
        </Button>
      )}
    </li>
  );
}
