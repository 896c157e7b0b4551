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

/** On a phone, along the lower edge; on other screens, below the price. */
const BAR =
  'space-y-4 bar:fixed bar:inset-x-0 bar:bottom-0 bar:z-20 bar:max-h-[70dvh] bar:space-y-2 bar:overflow-y-auto bar:border-t-4 bar:border-signal bar:bg-booth bar:px-4 bar:pt-2.5 bar:pb-[max(0.625rem,env(safe-area-inset-bottom))] bar:shadow-[0_-20px_40px_#000]';
const PAY = 'w-full text-lg bar:w-auto bar:shrink-0 bar:text-base';

/** Shows the pay button, what is still missing, and the error of the last attempt. */
export function PayPanel({
  totalCents: priced,
  hours,
  missing,
  loading,
  terms,
  busy,
  asking,
  problem,
  onBack,
}: {
  /** Null while the price is unknown. */
  totalCents: number | null;
  /** A short description of the booking next to the button on a phone: "Fri 27 Nov, 8–10 pm". */
  hours: string;
  /** What is still missing, in words; '' if nothing is. */
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
  const agreed = problem?.total;
  const needs = missing !== '' && !loading && !busy;
  return (
    <div data-along-edge={problem ? 'bar' : 'row'} className={BAR}>
      {problem ? <Problem problem={problem} onBack={onBack} /> : null}
      <div className="space-y-3 bar:flex bar:min-h-12 bar:flex-row-reverse bar:items-center bar:gap-3 bar:space-y-0">
        {typeof agreed === 'number' ? (
          <Button type="submit" form={CHECKOUT_FORM} busy={busy} disabled={!online} className={PAY}>
            Agree and pay {formatMoney(agreed)}
          </Button>
        ) : (
          <Button
            type="submit"
            form={CHECKOUT_FORM}
            busy={busy}
            disabled={missing !== '' || loading || !online}
            aria-describedby="still-needed"
            className={PAY}
          >
            {totalCents === null ? 'Pay' : totalCents === 0 ? 'Book for free' : `Pay ${formatMoney(totalCents)}`}
          </Button>
        )}
        <div className="min-w-0 grow space-y-2 bar:space-y-0">
          <p className="hidden leading-5 font-extrabold bar:block">{hours}</p>
          <p
            className={`text-sm font-semibold bar:text-[0.6875rem] bar:leading-[0.875rem] bar:font-normal bar:text-fog ${needs || busy ? 'bar:hidden' : ''}`}
          >
            {terms}
          </p>
          <p
            id="still-needed"
            aria-live="polite"
            className={`min-h-10 text-sm text-fog bar:min-h-0 bar:text-[0.6875rem] bar:leading-[0.875rem] ${needs || busy ? '' : 'bar:hidden'}`}
          >
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
        </div>
      </div>
    </div>
  );
}

/** Shows the error of the last attempt and what the customer can do about it. */
function Problem({ problem, onBack }: { problem: PaymentProblem; onBack: () => void }) {
  return (
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
  );
}
