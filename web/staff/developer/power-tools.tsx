import { useMutation } from '@tanstack/react-query';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { runTrial, switchPower } from './queries.ts';

/** Turns the plug on. It turns itself off after two seconds. */
export function PlugTest() {
  const test = useMutation({
    mutationFn: async () => {
      const trial = await runTrial('test-smart-plug');
      if (!trial.success) throw new Error(trial.error ?? '');
    },
    meta: { handled: true },
  });
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        Run Plug Test
      </Button>
      <Outcome failure={test.error} done={test.isSuccess ? 'The plug is on. It switches off after 2 seconds.' : null} />
    </>
  );
}

/** Turns the lights of the Green Room on and off. */
export function PowerControl() {
  const turn = useMutation({ mutationFn: switchPower, meta: { handled: true } });
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Button busy={turn.isPending && turn.variables} disabled={turn.isPending} onClick={() => turn.mutate(true)}>
          Turn On
        </Button>
        <Button
          tone="plain"
          busy={turn.isPending && !turn.variables}
          disabled={turn.isPending}
          onClick={() => turn.mutate(false)}
        >
          Turn Off
        </Button>
      </div>
      <Outcome failure={turn.error} done={turn.data?.message ?? null} />
    </>
  );
}

function Outcome({ failure, done }: { failure: Error | null; done: string | null }) {
  return (
    <div className="mt-6" aria-live="polite">
      {failure ? (
        <Notice tone="bad">
          <p>{describeError(failure, 'We couldn’t reach the plug.')}</p>
        </Notice>
      ) : done === null ? null : (
        <Notice tone="good">
          <p>{done}</p>
        </Notice>
      )}
    </div>
  );
}
