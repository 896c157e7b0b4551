import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { ownPath, paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { idQueries, useHostedResult } from './queries.ts';
import { useIdStatus } from './status-query.ts';

/**
 * Waits for the result of the hosted check that this tab started. If the ID is verified, continues to the checkout, or to the profile if
 * there is no booking.
 */
export function useCheckReturn() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { status, user } = useSession();
  const [session] = useState(() => drafts.verification());
  const result = useHostedResult(session?.id ?? null, user?.id ?? null);
  const inReview = result.data?.status === 'review';
  const idStatus = useIdStatus(user?.id ?? null, inReview);
  const verified = result.data?.verified === true;
  const next = ownPath(result.data?.checkoutUrl ?? null) ?? paths.checkout;
  useEffect(() => {
    if (!verified) return;
    toast({ title: 'ID Verified' });
    drafts.removeVerification();
    for (const queryKey of idQueries) void client.invalidateQueries({ queryKey });
    navigate(drafts.booking() === null ? paths.profile : next, { replace: true });
  }, [verified, next, navigate, client]);
  return {
    started: session !== null,
    waiting: status === 'loading' || verified || (session !== null && !result.data && !result.isError),
    processing: result.data?.status === 'processing',
    inReview,
    decidedBy: inReview ? (idStatus.data?.decidedBy ?? null) : null,
    problem: result.isError
      ? describeError(result.error, 'Failed to process verification')
      : (result.data?.error ?? 'Identity verification was not completed successfully'),
    /** Queries the result again after a failed request; null if the check itself failed. */
    askAgain: result.isError ? () => void result.refetch() : null,
    asking: result.isFetching,
  };
}
