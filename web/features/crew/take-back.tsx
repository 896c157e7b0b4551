import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CrewMember } from '#web/data/bookings/crew.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { makeNewPin, takeBack } from './queries.ts';

/** Asks for confirmation before an invitation is withdrawn. Offers a new PIN if the guest has seen the shared one. */
export function TakeBack({
  member,
  bookingId,
  onClose,
}: {
  member: CrewMember | null;
  bookingId: string;
  onClose: () => void;
}) {
  const name = member?.name ?? 'this invitation';
  return (
    <Dialog open={member !== null} title={`Cancel the invite of ${name}?`} onClose={onClose}>
      {member === null ? null : <Steps member={member} bookingId={bookingId} onClose={onClose} />}
    </Dialog>
  );
}

function Steps({ member, bookingId, onClose }: { member: CrewMember; bookingId: string; onClose: () => void }) {
  const [sawPin, setSawPin] = useState(false);
  const revoke = useMutation({
    mutationFn: () => takeBack(member.id),
    meta: { handled: true, invalidates: [queryKeys.crew.all] },
    onSuccess: ({ sawShared }) => {
      if (sawShared) return setSawPin(true);
      toast({ title: 'Taken back', description: 'The link no longer works.' });
      onClose();
    },
  });
  if (sawPin) return <NewPin name={member.name ?? 'Your guest'} bookingId={bookingId} onClose={onClose} />;
  return (
    <>
      <p>
        {member.state === 'joined'
          ? 'Their link stops working, and their own PIN, if they have one, is removed from the lock.'
          : 'The link stops working. You can invite someone else.'}
      </p>
      {revoke.isError ? <Failed error={revoke.error} /> : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button onClick={onClose}>Keep</Button>
        <Button tone="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
          Cancel invite
        </Button>
      </div>
    </>
  );
}

/**
 * Offers a new PIN. A code is only shared if the lock cannot remove codes, so the old PIN may keep working until the end of the session,
 * and the text mentions this.
 */
function NewPin({ name, bookingId, onClose }: { name: string; bookingId: string; onClose: () => void }) {
  const renew = useMutation({
    mutationFn: () => makeNewPin(bookingId),
    meta: { handled: true, invalidates: [queryKeys.accessCode.all] },
    onSuccess: () => {
      toast({ title: 'New PIN for everyone', description: 'Your crew sees it on their pages.' });
      onClose();
    },
  });
  return (
    <>
      <p>
        {name} has seen your PIN. You can make a new PIN for everyone else. This lock can’t delete the old one: it may
        open the door until your session ends.
      </p>
      {renew.isError ? <Failed error={renew.error} /> : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button busy={renew.isPending} onClick={() => renew.mutate()}>
          New PIN for everyone
        </Button>
        <Button tone="plain" onClick={onClose}>
          Keep the PIN
        </Button>
      </div>
    </>
  );
}

function Failed({ error }: { error: Error }) {
  return (
    <div className="mt-4">
      <Notice tone="bad">
        <p>{describeError(error, 'Please try again in a moment.')}</p>
      </Notice>
    </div>
  );
}
