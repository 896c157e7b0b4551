import { useMutation } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, markNoShow } from './queries.ts';

/** Marks that the customer did not come, or takes that back. Nobody is told. */
export function NoShowButton({ booking }: { booking: BookingDetails }) {
  const mark = useMutation({
    mutationFn: (missed: boolean) => markNoShow(booking.id, missed),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.staffBooking.all] },
    onSuccess: (_done, missed) =>
      toast({
        title: missed ? `${booking.reference} is a no-show` : `${booking.reference} is no longer a no-show`,
        description: 'Nobody was told.',
        ms: 10_000,
        action: { label: 'Undo', onPress: () => mark.mutate(!missed) },
      }),
  });
  return (
    <Button tone="plain" busy={mark.isPending} onClick={() => mark.mutate(booking.noShow === null)}>
      {booking.noShow === null ? 'Mark as no-show' : 'Not a no-show'}
    </Button>
  );
}
