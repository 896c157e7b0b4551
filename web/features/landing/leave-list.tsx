import { useMutation } from '@tanstack/react-query';
import { useBusiness } from '#web/lib/business/business.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { LAUNCH, leaveList } from './queries.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ends the subscription of the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export function LeaveList({ subscription }: { subscription: string }) {
  const business = useBusiness();
  const leave = useMutation({ mutationFn: () => leaveList(subscription), meta: { handled: true } });
  if (!UUID.test(subscription))
    return (
      <Notice tone="bad">
        This link is incomplete. Please use the link at the end of our email, or contact us at{' '}
        <a className="underline" href={`mailto:${business.email}`}>
          {business.email}
        </a>
        .
      </Notice>
    );
  if (leave.isSuccess) return <Notice tone="good">You’re off the list. You won’t get any more news from us.</Notice>;
  return (
    <div className="space-y-5">
      <p className="text-fog">
        Press the button to leave our mailing list. Your bookings and your account stay as they are.
      </p>
      <Button busy={leave.isPending} onClick={() => leave.mutate()}>
        Unsubscribe
      </Button>
      {leave.isError ? <Notice tone="bad">{LAUNCH.failed}</Notice> : null}
    </div>
  );
}
