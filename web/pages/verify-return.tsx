import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { checkHosted } from '#web/features/identity/queries.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { ownPath, paths } from '#web/lib/paths.ts';
import { useSession } from '#web/lib/session.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const POLL_MS = 2_500;

/** Back from the identity check: waits while it is looked at, then goes on to checkout. */
export default function VerifyReturnPage() {
  const navigate = useNavigate();
  const { status } = useSession();
  const session = drafts.verification();
  const result = useQuery({
    queryKey: ['hosted-check', session?.id],
    queryFn: () => checkHosted(session?.id ?? ''),
    enabled: session !== null && status === 'in',
    retry: 1,
    refetchInterval: (query) => (query.state.data?.status === 'processing' ? POLL_MS : false),
  });
  const to = result.data?.verified ? (ownPath(result.data.checkoutUrl) ?? paths.checkout) : null;
  useEffect(() => {
    if (to === null) return;
    toast({ title: 'ID Verified' });
    void navigate(to, { replace: true });
  }, [to, navigate]);

  const waiting =
    status === 'loading' || (session !== null && status === 'in' && !result.data && !result.isError) || to !== null;
  if (waiting) return <Waiting label="Confirming your ID" />;
  if (result.data?.status === 'processing')
    return <Waiting label="Your ID is being looked at. This page goes on by itself." />;
  const message =
    session === null
      ? 'No verification session ID found. Please try booking again.'
      : result.isError
        ? describeError(result.error, 'Failed to process verification')
        : (result.data?.error ?? 'Identity verification was not completed successfully');
  return (
    <Shell back={{ to: paths.checkout, label: 'Back to checkout' }} title="Not verified">
      <Notice tone="bad">
        <p>{message}</p>
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        {session ? <Button onClick={() => void navigate(paths.verifyComplete)}>Try Again</Button> : null}
        <Button
          tone="plain"
          onClick={() => {
            drafts.dropBooking();
            void navigate(paths.booking);
          }}
        >
          Return to Booking
        </Button>
      </div>
    </Shell>
  );
}
