import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatRecordTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeLoadError } from '#web/lib/errors.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { readIdPicture } from './queries.ts';

const WATERMARKS = Array.from({ length: 24 }, (_, index) => index);

/** Shows the picture of an ID with the viewer's email address across it. The picture is read once and dropped when it is closed. */
export function IdPicture({ verificationId }: { verificationId: string }) {
  const { user } = useSession();
  const [openedAt] = useState(() => new Date());
  const picture = useQuery({
    queryKey: queryKeys.idPicture.of(verificationId),
    queryFn: () => readIdPicture(verificationId),
    // Never read again, because the server logs each read as a view.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return (
    <Loaded query={picture} what="the picture" why={describeLoadError} skeleton="h-64">
      {(data) => {
        const mark = `${user?.email ?? ''} ${formatRecordTime(openedAt)}`;
        return (
          <div className="relative overflow-hidden select-none">
            <img src={data} alt="The customer’s ID" draggable={false} className="max-h-[45dvh] w-full object-contain" />
            <div
              aria-hidden="true"
              className="pointer-events-none absolute -inset-1/2 flex -rotate-24 flex-wrap content-around justify-around gap-x-12 gap-y-10"
            >
              {WATERMARKS.map((at) => (
                <span key={at} className="text-sm font-semibold whitespace-nowrap text-white/60 mix-blend-difference">
                  {mark}
                </span>
              ))}
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}
