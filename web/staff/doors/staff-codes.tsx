import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioDateTime, formatStudioRange } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { readStaffCodes, revokeStaffCode, type StaffCode } from './code-queries.ts';
import { StaffCodeForm } from './staff-code-form.tsx';

/** The codes that staff made for people without a booking, and a form for a new one. */
export function StaffCodes({
  rooms,
}: {
  rooms: readonly { readonly studioId: string; readonly studioName: string }[];
}) {
  useLive('staff', queryKeys.staffCodes.all);
  const codes = useQuery({ queryKey: queryKeys.staffCodes.of(), queryFn: readStaffCodes, refetchInterval: 60_000 });
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<StaffCode | null>(null);
  return (
    <div className="mt-3 space-y-4">
      <Loaded query={codes} what="the codes" why={describeLoadError} skeleton="h-24">
        {(loaded) =>
          loaded.codes.length === 0 ? (
            <p className="text-fog">No codes in the last week.</p>
          ) : (
            <ul className="divide-y divide-line">
              {loaded.codes.map((code) => (
                <CodeItem key={code.id} code={code} onRevoke={loaded.canRevoke ? setRevoking : null} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {rooms.length === 0 ? null : (
        <Button tone="plain" onClick={() => setMaking(true)}>
          Create code
        </Button>
      )}
      <Dialog open={making} title="Code without a booking" onClose={() => setMaking(false)}>
        {making ? (
          <StaffCodeForm rooms={rooms} canRevoke={codes.data?.canRevoke ?? false} onDone={() => setMaking(false)} />
        ) : null}
      </Dialog>
      <Dialog
        open={revoking !== null}
        title={`Revoke code for ${revoking?.name ?? ''}?`}
        onClose={() => setRevoking(null)}
      >
        {revoking === null ? null : <RevokeButtons code={revoking} onDone={() => setRevoking(null)} />}
      </Dialog>
    </div>
  );
}

/** A code. `onRevoke`: null if the lock cannot remove codes. */
function CodeItem({ code, onRevoke }: { code: StaffCode; onRevoke: ((code: StaffCode) => void) | null }) {
  const now = useNow(30_000);
  const over = code.endsAt <= now;
  const state = over && code.status !== 'requested' ? { words: 'Ended', tone: 'plain' as const } : STATES[code.status];
  const mayRevoke = !over && (code.status === 'issued' || code.status === 'requested');
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-3 font-semibold break-words">
          {code.name}, {code.studioName} <Chip tone={state.tone}>{state.words}</Chip>
        </p>
        <p className="mt-1 text-sm text-fog">
          {formatStudioRange(code.startsAt, code.endsAt)}. Created by {code.madeBy ?? 'the server'}.
          {code.usedAt === null ? '' : ` Last used ${formatStudioDateTime(code.usedAt)}.`}
        </p>
      </div>
      {mayRevoke && onRevoke !== null ? (
        <Button tone="plain" onClick={() => onRevoke(code)}>
          Revoke <span className="sr-only">the code for {code.name}</span>
        </Button>
      ) : null}
    </li>
  );
}

const STATES = {
  requested: { words: 'Not accepted by the lock', tone: 'bad' },
  issued: { words: 'Valid', tone: 'good' },
  revoking: { words: 'Being removed', tone: 'warn' },
  revoked: { words: 'Revoked', tone: 'plain' },
} as const;

function RevokeButtons({ code, onDone }: { code: StaffCode; onDone: () => void }) {
  const revoke = useMutation({
    mutationFn: () => revokeStaffCode(code.id),
    meta: { title: 'Error', failure: 'The code was not revoked. Try again.', invalidates: [queryKeys.staffCodes.all] },
    onSuccess: () => {
      toast({ title: 'The lock is removing the code', description: code.name });
      onDone();
    },
  });
  return (
    <div className="space-y-4">
      <p>The code stops opening the door. The hours stay closed until you reopen them under Closed hours.</p>
      <Confirm action={revoke} keep="Back" onKeep={onDone}>
        Revoke code
      </Confirm>
    </div>
  );
}
