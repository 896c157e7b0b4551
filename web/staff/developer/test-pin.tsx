import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatStudioRange } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { type PinData, runTrial } from './queries.ts';

/** Requests a test PIN for the first lock, valid until 7 pm. */
export function TestPin() {
  const request = useMutation({
    mutationFn: async (): Promise<PinData> => {
      const trial = await runTrial('test-igloohome-pin');
      if (!trial.success || !trial.pinData) throw new Error(trial.error ?? 'The lock didn’t return a PIN.');
      return trial.pinData;
    },
    meta: { handled: true },
  });
  return (
    <>
      <Button busy={request.isPending} onClick={() => request.mutate()}>
        Generate Test PIN
      </Button>
      {request.isError ? (
        <div className="mt-6">
          <Notice tone="bad">
            <p>We couldn’t get a PIN. {describeError(request.error, 'Please try again.')}</p>
          </Notice>
        </div>
      ) : null}
      {request.data ? <PinDetails pin={request.data} /> : null}
    </>
  );
}

function PinDetails({ pin }: { pin: PinData }) {
  return (
    <section aria-label="Test PIN" aria-live="polite" className="mt-8 border-t-4 border-signal bg-booth p-6 sm:p-8">
      <p className="text-7xl font-extrabold tabular-nums">{pin.pin}</p>
      <dl className="mt-6 grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <Fact name="Valid">
          {formatStudioRange(new Date(pin.startTime), new Date(pin.endTime))}{' '}
          <span className="text-fog">Sydney time</span>
        </Fact>
        <Fact name="Device">{pin.deviceId}</Fact>
        <Fact name="PIN ID">{pin.pinId ?? 'none, the bridge stores it'}</Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-dust">{name}</dt>
      <dd className="break-all">{children}</dd>
    </div>
  );
}
