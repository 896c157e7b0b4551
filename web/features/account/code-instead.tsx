import { useMutation } from '@tanstack/react-query';
import { mailProofCode } from '#web/data/account/owner-proof.ts';
import { Button } from '#web/ui/button.tsx';

/** Offers a code to people who have no password, such as those with a passkey, or who have forgotten it. */
export function CodeInstead({ onMailed }: { onMailed: () => void }) {
  const mail = useMutation({
    mutationFn: mailProofCode,
    meta: { failure: 'We couldn’t send the code. Please try again.' },
    onSuccess: onMailed,
  });
  return (
    <Button tone="quiet" busy={mail.isPending} onClick={() => mail.mutate()}>
      Send me a code instead
    </Button>
  );
}
