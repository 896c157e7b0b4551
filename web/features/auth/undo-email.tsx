import { useMutation } from '@tanstack/react-query';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { beginUndo } from './undo-calls.ts';
import { UndoEnded, UndoForm } from './undo-form.tsx';

/** Undoes a change of address from the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export function UndoEmail({ tokenHash, onDone }: { tokenHash: string; onDone: (email: string) => void }) {
  const begin = useMutation({ mutationFn: () => beginUndo(tokenHash), meta: { handled: true } });
  if (errorCode(begin.error) === 'otp_expired') return <UndoEnded />;
  if (begin.data !== undefined)
    return <UndoForm tokenHash={tokenHash} factors={begin.data.factors} email={begin.data.email} onDone={onDone} />;
  return (
    <div className="max-w-prose space-y-6">
      <p>
        Your account has a new email address. If you changed it, you can close this page: nothing happens. If it wasn’t
        you, take your account back.
      </p>
      <ul className="list-disc space-y-1 pl-5 text-fog">
        <li>Your earlier email address comes back.</li>
        <li>You choose a new password, and everyone is signed out.</li>
        <li>Refunds and door codes of your bookings wait until you have finished, for a day at most.</li>
      </ul>
      {begin.error === null ? null : (
        <Notice tone="bad">
          <p>{describeError(begin.error, UNEXPECTED)}</p>
        </Notice>
      )}
      <Button busy={begin.isPending} onClick={() => begin.mutate()}>
        It wasn’t me: take my account back
      </Button>
    </div>
  );
}
