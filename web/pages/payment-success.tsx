import {
  isUnknownPayment,
  PaymentNotFound,
  PaymentNotRead,
  PaymentResult,
} from '#web/features/checkout/payment-result.tsx';
import { usePaymentResult } from '#web/features/checkout/use-payment-result.ts';
import { CalendarLinks } from '#web/features/own-booking/calendar-links.tsx';
import { PictureOfRoom } from '#web/features/studios/picture-of-room.tsx';
import { paths } from '#web/lib/paths.ts';
import { Redirect, useSearchParams } from '#web/router/router.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Waiting } from '#web/ui/notice.tsx';

/** Loaded only if the page states that the server creates passes. */
const WalletButtons = lazyPart(async () => ({
  default: (await import('#web/features/own-booking/wallet-buttons.tsx')).WalletButtons,
}));
const passes = (bookingId: string) =>
  document.querySelector('meta[name="wallets"]:not([content=""])') === null ? null : (
    <WalletButtons bookingId={bookingId} />
  );

/** Shows the result of a payment. */
export default function PaymentSuccessPage() {
  const [search] = useSearchParams();
  const payment = usePaymentResult(search.get('session_id'), search.get('booking_id'));
  if (!payment.complete) return <Redirect to={paths.booking} />;
  if (payment.other || (payment.error && isUnknownPayment(payment.error))) return <PaymentNotFound />;
  if (payment.error) return <PaymentNotRead error={payment.error} bookingId={search.get('booking_id') ?? ''} />;
  if (!payment.state) return <Waiting label="Checking your payment" />;
  return (
    <PaymentResult
      state={payment.state}
      picture={(room) => <PictureOfRoom name={room} />}
      passes={passes}
      calendar={(booking) => <CalendarLinks booking={booking} />}
    />
  );
}
