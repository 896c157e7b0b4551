import { useMutation } from '@tanstack/react-query';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { type LinkKind, verifyLink } from './queries.ts';

export const EXPIRED = 'Email verification link may have expired. Please try signing up again.';

/** Confirms a mailed link. `done` is false while a change of address still needs the link sent to the other address. */
export function useConfirmLink(type: LinkKind, onDone: (done: boolean) => void) {
  const confirm = useMutation({
    mutationFn: (tokenHash: string) => verifyLink(tokenHash, type),
    meta: { handled: true },
    onSuccess: onDone,
  });
  const expired = errorCode(confirm.error) === 'otp_expired';
  return {
    confirm: confirm.mutate,
    busy: confirm.isPending,
    done: confirm.data ?? null,
    problem: confirm.error
      ? expired
        ? EXPIRED
        : describeError(confirm.error, 'Failed to verify email. Please try again.')
      : null,
  };
}
