import { useMutation } from '@tanstack/react-query';
import { formatStudioRange } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { CLOSURE_CHANGES, reopenHours } from './queries.ts';

/** An occurrence of a weekly closure. */
export type ClosureWeek = { readonly closureId: string; readonly start: Date; readonly end: Date };

/** Asks for confirmation before an occurrence of a closure is opened, alone or with those that follow. */
export function ReopenForm({
  week,
  more,
  where,
  onDone,
}: {
  week: ClosureWeek;
  /** The number of occurrences that may follow; 0 if the hours are closed once. */
  more: number;
  /** The names of the studios. */
  where: string;
  onDone: () => void;
}) {
  const range = formatStudioRange(week.start, week.end);
  const reopen = useMutation({
    mutationFn: (following: boolean) => reopenHours(week.closureId, week.start, following),
    meta: { handled: true, invalidates: CLOSURE_CHANGES },
    onSuccess: (_answer, following) => {
      const weeks = following && more > 0 ? ', then every week' : '';
      toast({ title: 'Hours reopened', description: `${range}${weeks}` });
      onDone();
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'The hours are still closed. Try again.'),
        tone: 'bad',
      }),
  });
  const busy = (following: boolean): boolean => reopen.isPending && reopen.variables === following;
  return (
    <div className="space-y-4">
      <p>
        {where}: {range}. Customers can book these hours immediately.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button busy={busy(false)} disabled={reopen.isPending} onClick={() => reopen.mutate(false)}>
          {more > 0 ? 'Reopen this week' : 'Reopen'}
        </Button>
        {more > 0 ? (
          <Button tone="plain" busy={busy(true)} disabled={reopen.isPending} onClick={() => reopen.mutate(true)}>
            Reopen this and all later weeks
          </Button>
        ) : null}
        <Button tone="plain" onClick={onDone}>
          Keep closed
        </Button>
      </div>
    </div>
  );
}
