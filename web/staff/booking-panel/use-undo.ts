import { useMutation } from '@tanstack/react-query';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { type Undo, undoAction } from './queries.ts';

/** Milliseconds for which the message with the button is shown. The server decides whether it is too late to undo. */
const SHOWN_MS = 10_000;

/** Returns a function that adds an Undo button to a message about an action. It adds nothing if the action cannot be undone. */
export function useUndo(): (undo: Undo | undefined) => {
  ms?: number;
  action?: { label: string; onPress: () => void };
} {
  const { mutate } = useMutation({
    mutationFn: (undoId: string) => undoAction(undoId),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ reference }) => toast({ title: `${reference} has been restored`, description: 'No email was sent.' }),
    onError: (error) =>
      toast({ title: 'Not undone', description: describeError(error, 'Check your connection.'), tone: 'bad' }),
  });
  return (undo) =>
    undo === undefined ? {} : { ms: SHOWN_MS, action: { label: 'Undo', onPress: () => mutate(undo.id) } };
}
