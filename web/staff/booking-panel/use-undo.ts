import { useMutation } from '@tanstack/react-query';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { type Undo, undoAction } from './queries.ts';

/** How long the message with the button is shown; the server decides whether it is too late. */
const SHOWN_MS = 10_000;

/** Returns what a message about an action needs so that staff can undo it: nothing when it cannot be undone. */
export function useUndo(): (undo: Undo | undefined) => {
  ms?: number;
  action?: { label: string; onPress: () => void };
} {
  const { mutate } = useMutation({
    mutationFn: (undoId: string) => undoAction(undoId),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ reference }) => toast({ title: `${reference} is as before`, description: 'Nobody was told.' }),
    onError: (error) =>
      toast({ title: 'Not undone', description: describeError(error, 'Check your connection.'), tone: 'bad' }),
  });
  return (undo) =>
    undo === undefined ? {} : { ms: SHOWN_MS, action: { label: 'Undo', onPress: () => mutate(undo.id) } };
}
