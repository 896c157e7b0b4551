import { formatMoney } from '#rules/money.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { useOnline } from '#web/lib/use-browser.ts';
import { useFrozen } from '#web/lib/use-stable.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Progress } from '#web/ui/progress.tsx';
import { CHECKOUT_FORM } from './customer-form.tsx';
import type { PaymentProblem } from './use-payment.ts';

const WORDS = [
  'Holding your hours and opening the payment page.',
  'Still opening the payment page. Your hours are being held.',
  'The payment service is slow right now. Please stay on this page. You won’t be charged until you enter a card.',
] as const;

/** Shows the pay button, what is still needed, and the error of the last attempt. */
export function PayPanel({
  totalCents: priced,
  missing,
  loading,
  terms,
  busy,
  asking,
  problem,
  onBack,
}: {
  /** Null while the price is not known. */
  totalCents: number | null;
  /** What is still needed, in words; '' when nothing is. */
  missing: string;
  loading: boolean;
  /** Until when the booking can be cancelled for a refund. */
  terms: string;
  busy: boolean;
  /** The payment provider has not answered yet; the request is repeated automatically. */
  asking: boolean;
  problem: PaymentProblem | null;
  onBack: () => void;
}) {
  const { holdMinutes } = useBusiness();
  const online = useOnline();
  const totalCents = useFrozen(priced, busy);
  const agreed = problem?.total ?? null;
  return (
    <>
      {problem ? (
        <Notice tone="bad">
          <p>{problem.text}</p>
          {problem.holds === true ? (
            <Link to={paths.booking} className={`${buttonStyle.plain} mt-3`}>
              Pay for them or release them
            </Link>
          ) : null}
          {problem.back ? (
            <Button tone="plain" className="mt-3" onClick={onBack}>
              Choose another time
            </Button>
          ) : null}
        </Notice>
      ) : null}
      {agreed !== null ? (
        <Button type="submit" form={CHECKOUT_FORM} busy={busy} disabled={!online} className="w-full text-lg">
          Agree and pay {formatMoney(agreed)}
        </Button>
      ) : (
        <Button
          type="submit"
          form={CHECKOUT_FORM}
          busy={busy}
          disabled={missing !== '' || loading || !online}
          aria-describedby="still-needed"
          className="w-full text-lg"
        >
          {totalCents === null ? 'Pay' : totalCents === 0 ? 'Book for free' : `Pay ${formatMoney(totalCents)}`}
        </Button>
      )}
      <p className="text-sm font-semibold">{terms}</p>
      <p id="still-needed" aria-live="polite" className="min-h-10 text-sm text-fog">
        {asking ? (
          'We’re still waiting for the payment provider. We’re holding your hours, you haven’t been charged, and this page updates automatically.'
        ) : busy ? (
          <Progress on words={WORDS} />
        ) : missing === '' || loading ? (
          `We’ll hold the hours for ${holdMinutes} minutes while you pay.`
        ) : (
          `Still needed: ${missing}.`
        )}
      </p>
    </>
  );
}
