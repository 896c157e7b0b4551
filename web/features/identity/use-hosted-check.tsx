import { useMutation } from '@tanstack/react-query';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { createHostedCheck } from './queries.ts';

export const NOT_STARTED = 'Failed to start verification. Please try again.';

/** The button that starts the hosted check. */
export function OnlineCheck() {
  const hosted = useHostedCheck();
  return (
    <Button tone="plain" busy={hosted.isPending || hosted.isSuccess} onClick={() => hosted.mutate()}>
      Use the online check
    </Button>
  );
}

/** Starts a hosted check, stores its ids, and opens it. If a booking is waiting, /verify-complete comes first. */
export function useHostedCheck() {
  const navigate = useNavigate();
  const hosted = useMutation({
    mutationFn: async () => {
      const draft = drafts.booking();
      const session = await createHostedCheck(draft);
      drafts.saveVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      if (draft === null) leaveTo(session.verificationUrl);
      else navigate(paths.verifyComplete, { state: { autoContinue: true } });
    },
    meta: { handled: true },
    onError: (error) => toast({ title: describeError(error, NOT_STARTED), tone: 'bad' }),
  });
  useBackAgain(hosted.reset);
  return hosted;
}
