import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { groupPin } from './clock.ts';

/** The button Generate New PIN. Asks for confirmation if the new PIN would end a working one, because a friend may be using that at the door. */
export function NewPin({
  ended,
  busy,
  disabled,
  ends,
  needed,
  onRenew,
}: {
  ended: boolean;
  busy: boolean;
  disabled: boolean;
  /** The PIN that would stop working; null if none would. */
  ends: string | null;
  /** No PIN works, so this button is the main action. */
  needed: boolean;
  onRenew: () => void;
}) {
  const [asking, setAsking] = useState(false);
  if (ended) return <Button disabled>Session Ended</Button>;
  return (
    <>
      <Button
        tone={needed ? 'signal' : 'plain'}
        busy={busy}
        disabled={disabled}
        onClick={() => (ends === null ? onRenew() : setAsking(true))}
      >
        Generate New PIN
      </Button>
      <Dialog open={asking && ends !== null} title="Replace your PIN?" onClose={() => setAsking(false)}>
        <p>
          <strong className="tabular-nums">{ends === null ? '' : groupPin(ends).join(' ')}</strong> still works. If you
          make a new PIN, this one stops working, even for friends you sent it to.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <Button onClick={() => setAsking(false)}>Keep this PIN</Button>
          <Button
            tone="plain"
            onClick={() => {
              setAsking(false);
              onRenew();
            }}
          >
            Make a new one
          </Button>
        </div>
      </Dialog>
    </>
  );
}
