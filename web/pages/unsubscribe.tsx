import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { venue } from '#rules/venue.ts';
import { leaveList } from '#web/features/launch/queries.ts';
import { paths } from '#web/lib/paths.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Target of the unsubscribe link in our news. Acts only when the button is pressed, because mail scanners open links. */
export default function UnsubscribePage() {
  const [search] = useSearchParams();
  const [state, setState] = useState<'asking' | 'busy' | 'done' | 'failed'>('asking');
  const subscription = search.get('id') ?? '';

  async function leave(): Promise<void> {
    setState('busy');
    await leaveList(subscription).then(
      () => setState('done'),
      () => setState('failed'),
    );
  }

  return (
    <Shell back={{ to: paths.home, label: 'Back to Home' }} title="Unsubscribe">
      {!UUID.test(subscription) ? (
        <Notice tone="bad">
          This link is incomplete. Please use the link at the end of our email, or contact us at{' '}
          <a className="underline" href={`mailto:${venue.email}`}>
            {venue.email}
          </a>
          .
        </Notice>
      ) : state === 'done' ? (
        <Notice tone="good">You’re off the list. You won’t get any more news from us.</Notice>
      ) : (
        <div className="space-y-5">
          <p className="text-fog">
            Press the button to leave our mailing list. Your bookings and your account stay as they are.
          </p>
          <Button busy={state === 'busy'} onClick={() => void leave()}>
            Unsubscribe
          </Button>
          {state === 'failed' ? <Notice tone="bad">Something went wrong. Please try again.</Notice> : null}
        </div>
      )}
    </Shell>
  );
}
