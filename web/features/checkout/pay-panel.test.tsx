import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { CHECKOUT_FORM } from './customer-form.tsx';
import { PayPanel } from './pay-panel.tsx';

type Props = Parameters<typeof PayPanel>[0];
const show = (change: Partial<Props>) =>
  renderPart(
    <PayPanel
      totalCents={13_800}
      hours="Fri 27 Nov, 8–10 pm"
      missing=""
      loading={false}
      busy={false}
      terms="Free to cancel until Thursday."
      asking={false}
      problem={null}
      onBack={vi.fn()}
      {...change}
    />,
  );
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const problem = { text: 'Told why.', total: null, back: false };

test('the pay button names the price, sends the form of the customer, and says what is still needed', () => {
  const { unmount } = show({});
  expect(button('Pay $138').disabled).toBe(false);
  expect([button('Pay $138').type, button('Pay $138').getAttribute('form')]).toEqual(['submit', CHECKOUT_FORM]);
  expect(screen.getByText('We’ll hold the hours for 15 minutes while you pay.')).toBeTruthy();
  unmount();
  const needing = show({ missing: 'phone, ID and terms' });
  expect(button('Pay $138').disabled).toBe(true);
  expect(screen.getByText('Still needed: phone, ID and terms.')).toBeTruthy();
  needing.unmount();
  show({ totalCents: 0, loading: true });
  expect(button('Book for free').disabled).toBe(true);
});

test('while the payment page opens the panel says so, also when the provider does not answer', () => {
  const { unmount } = show({ busy: true });
  expect(button('Pay $138').getAttribute('aria-busy')).toBe('true');
  expect(screen.getByText('Holding your hours and opening the payment page.')).toBeTruthy();
  unmount();
  show({ busy: true, asking: true });
  expect(screen.getByText(/We’re still waiting for the payment provider\. We’re holding your hours/)).toBeTruthy();
});

test('another price has to be agreed to, and agreeing sends the form', () => {
  show({ problem: { ...problem, total: 20_700 } });
  expect(screen.getByRole('alert').textContent).toBe('Told why.');
  expect(screen.queryByRole('button', { name: /^Pay/ })).toBeNull();
  expect(button('Agree and pay $207').getAttribute('form')).toBe(CHECKOUT_FORM);
});

test('a taken slot leads back to the hours, and too many holds to where they can be released', async () => {
  const onBack = vi.fn();
  const { unmount } = show({ problem: { ...problem, back: true }, onBack });
  await user.click(button('Choose another time'));
  expect(onBack).toHaveBeenCalledOnce();
  unmount();
  show({ problem: { ...problem, holds: true } });
  expect(screen.getByRole('link', { name: 'Pay for them or release them' }).getAttribute('href')).toBe('/booking');
});

test('no amount is shown before the price is known, and one that is being paid stays', () => {
  const { rerender } = show({ totalCents: null, loading: true });
  expect(button('Pay').disabled).toBe(true);
  const panel = (change: Partial<Props>) => (
    <PayPanel
      totalCents={13_800}
      hours="Fri 27 Nov, 8–10 pm"
      missing=""
      loading={false}
      busy={false}
      terms="Free to cancel until Thursday."
      asking={false}
      problem={null}
      onBack={vi.fn()}
      {...change}
    />
  );
  rerender(panel({}));
  rerender(panel({ busy: true }));
  rerender(panel({ busy: true, totalCents: 20_700 }));
  expect(button('Pay $138').disabled).toBe(true);
  rerender(panel({ totalCents: 20_700 }));
  expect(button('Pay $207').disabled).toBe(false);
});
