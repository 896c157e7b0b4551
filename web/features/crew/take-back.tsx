import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CrewMember } from '#web/data/bookings/crew.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
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
    <div className="space-y-5">
      <p>
        {member.state === 'joined'
          ? 'Their link stops working, and their own PIN, if they have one, is removed from the lock.'
          : 'The link stops working. You can invite someone else.'}
      </p>
      <Failure action={revoke} text="Please try again in a moment." />
      <Confirm action={revoke} keep="Keep" onKeep={onClose}>
        Cancel invite
      </Confirm>
    </div>
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
    <div className="space-y-5">
      <p>
        {name} has seen your PIN. You can make a new PIN for everyone else. This lock can’t delete the old one: it may
        open the door until your session ends.
      </p>
      <Failure action={renew} text="Please try again in a moment." />
      <Confirm tone="signal" action={renew} keep="Keep the PIN" onKeep={onClose}>
        New PIN for everyone
      </Confirm>
    </div>
  );
}
