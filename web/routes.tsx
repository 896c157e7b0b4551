import { lazy, Suspense, useLayoutEffect } from 'react';
import { NavigationType, Outlet, Route, Routes, useLocation, useNavigationType } from 'react-router';
import { CrashScreen } from './ui/crash-screen.tsx';
import { Waiting } from './ui/notice.tsx';

const Landing = lazy(() => import('./pages/landing.tsx'));
const Auth = lazy(() => import('./pages/auth.tsx'));
const EmailVerified = lazy(() => import('./pages/email-verified.tsx'));
const Booking = lazy(() => import('./pages/booking.tsx'));
const Checkout = lazy(() => import('./pages/checkout.tsx'));
const Profile = lazy(() => import('./pages/profile.tsx'));
const PaymentSuccess = lazy(() => import('./pages/payment-success.tsx'));
const VerifyComplete = lazy(() => import('./pages/verify-complete.tsx'));
const VerifyReturn = lazy(() => import('./pages/verify-return.tsx'));
const RegeneratePin = lazy(() => import('./pages/regenerate-pin.tsx'));
const AccessCode = lazy(() => import('./pages/access-code.tsx'));
const Admin = lazy(() => import('./pages/admin.tsx'));
const DeveloperGate = lazy(async () => ({
  default: (await import('./features/staff/developer-gate.tsx')).DeveloperGate,
}));
const IgloohomeTest = lazy(() => import('./pages/developer/igloohome-test.tsx'));
const TestPin = lazy(() => import('./pages/developer/test-pin.tsx'));
const TestTimezone = lazy(() => import('./pages/developer/test-timezone.tsx'));
const TestBookingSystem = lazy(() => import('./pages/developer/test-booking-system.tsx'));
const TestSmartPlug = lazy(() => import('./pages/developer/test-smart-plug.tsx'));
const PowerControl = lazy(() => import('./pages/developer/power-control.tsx'));
const Primitives = lazy(() => import('./pages/developer/primitives.tsx'));
const NotFound = lazy(() => import('./pages/not-found.tsx'));

/** Every address and its page; a page is fetched when it is opened. */
export function AppRoutes() {
  const { pathname, hash } = useLocation();
  const kind = useNavigationType();
  useLayoutEffect(() => {
    // Going back keeps the place one came from; the browser sees to that.
    if (kind !== NavigationType.Pop && hash === '') window.scrollTo({ top: 0, behavior: 'instant' });
  }, [pathname, hash, kind]);
  return (
    <CrashScreen page={pathname}>
      <Suspense fallback={<Waiting label="Loading" />}>
        <Routes>
          <Route path="/" element={<Landing />} />
          <Route path="/studio" element={<Landing />} />
          <Route path="/auth" element={<Auth />} />
          <Route path="/email-verified" element={<EmailVerified />} />
          <Route path="/booking" element={<Booking />} />
          <Route path="/checkout" element={<Checkout />} />
          <Route path="/profile" element={<Profile />} />
          <Route path="/payment-success" element={<PaymentSuccess />} />
          <Route path="/verify-complete" element={<VerifyComplete />} />
          <Route path="/verify-return" element={<VerifyReturn />} />
          <Route path="/regenerate-pin" element={<RegeneratePin />} />
          <Route path="/access-code" element={<AccessCode />} />
          <Route path="/admin" element={<Admin />} />
          <Route
            element={
              <DeveloperGate otherwise={<NotFound />}>
                <Outlet />
              </DeveloperGate>
            }
          >
            <Route path="/igloohome-test" element={<IgloohomeTest />} />
            <Route path="/test-pin" element={<TestPin />} />
            <Route path="/test-timezone" element={<TestTimezone />} />
            <Route path="/test-booking-system" element={<TestBookingSystem />} />
            <Route path="/test-smart-plug" element={<TestSmartPlug />} />
            <Route path="/power-control" element={<PowerControl />} />
            <Route path="/primitives" element={<Primitives />} />
          </Route>
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </CrashScreen>
  );
}
