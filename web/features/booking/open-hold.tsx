import { useState } from 'react';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { OwnBooking } from '#web/data/own-bookings.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** Shows an unpaid hold with Finish paying and Release. */
export function OpenHoldNotice({
  hold,
  brief = false,
  onPay,
  onRelease,
}: {
  hold: OwnBooking;
  /** Shorter text for small spaces. */
  brief?: boolean;
  onPay: () => void;
  onRelease: () => Promise<void>;
}) {
  const [step, setStep] = useState<'shown' | 'confirming' | 'releasing'>('shown');
  const release = (): void => {
    setStep('releasing');
    void onRelease().finally(() => setStep('shown'));
  };
  const [start, end] = [new Date(hold.start_time), new Date(hold.end_time)];
  const until = formatStudioTime(new Date(hold.hold_expires_at ?? hold.created_at));
  const price = formatMoney(dollarsToCents(hold.final_cost) ?? 0);
  return (
    <Notice tone="warn">
      {brief ? (
        <p className="text-sm">
          <strong>{hold.studio_name}</strong>, {formatStudioDate(start, 'medium')}, {formatStudioTime(start)} to{' '}
          {formatStudioTime(end)}. {price}, held until {until}. Reference {hold.reference}.
        </p>
      ) : (
        <p>
          You haven’t finished paying for <strong>{hold.studio_name}</strong>, {formatStudioRange(start, end)} (Sydney
          time). We’re holding the hours for you until {until}, for <strong>{price}</strong>
          {hold.coupon_code === null ? '' : ` with your code ${hold.coupon_code}`}. Reference {hold.reference}.
        </p>
      )}
      {step === 'shown' ? (
        <div className="mt-3 flex flex-wrap gap-3">
          <Button tone="plain" onClick={onPay}>
            Finish paying
          </Button>
          <Button tone="quiet" onClick={() => setStep('confirming')}>
            Release these hours
          </Button>
        </div>
      ) : (
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <p className="w-full">Someone else could book them straight away.</p>
          <Button tone="danger" busy={step === 'releasing'} onClick={release}>
            Yes, release them
          </Button>
          <Button tone="plain" disabled={step === 'releasing'} onClick={() => setStep('shown')}>
            Keep them
          </Button>
        </div>
      )}
    </Notice>
  );
}
