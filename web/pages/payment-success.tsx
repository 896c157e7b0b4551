import { PaymentNotFound, PaymentResult } from '#web/features/checkout/payment-result.tsx';
import { usePaymentResult } from '#web/features/checkout/use-payment-result.ts';
import { WalletButtons } from '#web/features/own-booking/wallet-buttons.tsx';
import { paths } from '#web/lib/paths.ts';
import { Redirect, useSearchParams } from '#web/router/router.tsx';
import { Waiting } from '#web/ui/notice.tsx';

/** Shows the result of a payment. */
export default function PaymentSuccessPage() {
  const [search] = useSearchParams();
  const payment = usePaymentResult(search.get('session_id'), search.get('booking_id'));
  if (!payment.complete) return <Redirect to={paths.booking} />;
  if (payment.other || payment.error) return <PaymentNotFound error={payment.error} onRetry={payment.retry} />;
  if (!payment.state) return <Waiting label="Checking your payment" />;
  return <PaymentResult state={payment.state} passes={(id) => <WalletButtons bookingId={id} />} />;
}
