import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { formatStudioDate } from '#rules/studio-time.ts';
import { checkHosted, readReview } from '#web/features/identity/queries.ts';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { ownPath, paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const POLL_MS = 2_500;
const BACK = { to: paths.checkout, label: 'Back to checkout' };

/** Handles the return from the identity check: waits for the result, then leads to the checkout, or to the profile without a booking. */
export default function VerifyReturnPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const [session] = useState(() => drafts.verification());
  const result = useQuery({
    queryKey: ['hosted-check', session?.id],
    queryFn: () => checkHosted(session?.id ?? ''),
    enabled: session !== null && status === 'in',
    retry: 1,
    refetchInterval: (query) => (query.state.data?.status === 'processing' ? POLL_MS : false),
  });
  const review = useQuery({
    queryKey: ['review', user?.id],
    queryFn: () => readReview(user?.id ?? ''),
    enabled: user !== null && result.data?.status === 'review',
  });
  const verified = result.data?.verified === true;
  const next = ownPath(result.data?.checkoutUrl ?? null) ?? paths.checkout;
  useEffect(() => {
    if (!verified) return;
    toast({ title: 'ID Verified' });
    drafts.dropVerification();
    void client.invalidateQueries();
    void navigate(drafts.booking() === null ? paths.profile : next, { replace: true });
  }, [verified, next, navigate, client]);

  if (session !== null && status === 'out') {
    return (
      <Shell back={BACK} title="Nearly there">
        <p className="text-fog">Please sign in again so we can see how your identity check went.</p>
        <Button className="mt-6" onClick={() => open('sign-in')}>
          Sign In
        </Button>
      </Shell>
    );
  }
  if (status === 'loading' || verified || (session !== null && !result.data && !result.isError))
    return <Waiting label="Confirming your ID" />;
  if (result.data?.status === 'processing')
    return <Waiting label="Your ID is being checked. This page updates automatically." />;
  const message =
    session === null
      ? 'No verification session ID found. Please try booking again.'
      : result.isError
        ? describeError(result.error, 'Failed to process verification')
        : (result.data?.error ?? 'Identity verification was not completed successfully');
  const waitsForPerson = result.data?.status === 'review';
  return (
    <Shell back={BACK} title={waitsForPerson ? 'Nearly there' : 'Not verified'}>
      <Notice tone={waitsForPerson ? 'warn' : 'bad'}>
        <p>{message}</p>
        {review.data ? (
          <p className="mt-2 text-sm text-fog">
            Someone on our team is checking this and will decide by {formatStudioDate(review.data.decidedBy)}. You don’t
            have to wait: if there’s a typo in your account, fix it in your profile and try again.
          </p>
        ) : null}
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        {session === null ? null : result.isError ? (
          <Button onClick={() => void result.refetch()} busy={result.isFetching}>
            Try Again
          </Button>
        ) : (
          <Button onClick={() => void navigate(drafts.booking() === null ? paths.profile : paths.verifyComplete)}>
            Try Again
          </Button>
        )}
        {waitsForPerson ? (
          <Link to={paths.profile} className={buttonStyle.plain}>
            Your profile
          </Link>
        ) : null}
        <ReturnToBooking />
      </div>
    </Shell>
  );
}
