import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import type { Profile } from '#web/data/profile.ts';
import { toast } from '#web/ui/toast.tsx';
import { CHECKOUT_FORM, CustomerForm, useCustomerForm } from './customer-form.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
beforeEach(() => vi.resetAllMocks());

const profile = { full_name: 'Alex Citizen', email: 'alex@example.com', phone: '+61400111222' } as Profile;
/** `folds`: as on the page; otherwise the fields are shown even if all details are known. */
function Sample({
  stored,
  onSend = vi.fn(),
  folds = false,
}: {
  stored: Profile | undefined;
  onSend?: (customer: unknown) => void;
  folds?: boolean;
}) {
  const { form, prefilled } = useCustomerForm('u', stored);
  return (
    <>
      <CustomerForm
        form={form}
        prefilled={folds && prefilled}
        loading={folds && stored === undefined}
        disabled={stored === undefined}
        onSend={onSend}
      />
      <button type="submit" form={CHECKOUT_FORM}>
        Pay
      </button>
    </>
  );
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const pay = () => user.click(screen.getByRole('button', { name: 'Pay' }));
const values = () => ['First name', 'Last name', 'Email', 'Phone'].map((label) => field(label).value);

test('the profile fills the fields once it is loaded; nothing is stored until something is typed', async () => {
  const { rerender } = renderPart(<Sample stored={undefined} />);
  expect(field('First name').matches(':disabled') || field('First name').closest('fieldset')?.disabled).toBe(true);
  rerender(<Sample stored={profile} />);
  await waitFor(() => expect(values()).toEqual(['Alex', 'Citizen', 'alex@example.com', '+61400111222']));
  expect(sessionStorage.getItem('typed:checkout:u')).toBeNull();
  await fill(field('First name'), 'Alexandra');
  expect(sessionStorage.getItem('typed:checkout:u')).toContain('Alexandra');
  rerender(<Sample stored={{ ...profile, full_name: 'Other Name', phone: '+61400999999' }} />);
  await waitFor(() => expect(field('Phone').value).toBe('+61400999999'));
  expect(field('First name').value).toBe('Alexandra');
});

test('a customer whom the account knows is shown in one row, which Change opens for the first field', async () => {
  const send = vi.fn();
  const { rerender } = renderPart(<Sample stored={undefined} folds />);
  expect(screen.queryByLabelText('First name')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Change your details' })).toBeNull();
  rerender(<Sample stored={profile} folds onSend={send} />);
  expect(await screen.findByText('Alex Citizen')).toBeTruthy();
  expect(screen.getByText('alex@example.com')).toBeTruthy();
  expect(screen.getByText('+61400111222')).toBeTruthy();
  expect(screen.queryByLabelText('First name')).toBeNull();
  await pay();
  await waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  await user.click(screen.getByRole('button', { name: 'Change your details' }));
  await waitFor(() => expect(document.activeElement).toBe(field('First name')));
  await fill(field('First name'), 'Alexandra');
  // The fields stay open while the customer types.
  expect(values()).toEqual(['Alexandra', 'Citizen', 'alex@example.com', '+61400111222']);
});

test('a customer of whom something is missing is asked for it, and the fields stay while it is typed', async () => {
  renderPart(<Sample stored={{ ...profile, phone: null }} folds />);
  expect(values()).toEqual(['Alex', 'Citizen', 'alex@example.com', '']);
  await fill(field('Phone'), '0400 111 222');
  expect(values()).toEqual(['Alex', 'Citizen', 'alex@example.com', '0400 111 222']);
});

test('what was typed before a reload is restored instead of the profile', async () => {
  const typed = { first: 'Robyn', last: 'Sample', oneName: false, email: 'r@example.com', phone: '0400 111 222' };
  sessionStorage.setItem('typed:checkout:u', JSON.stringify(typed));
  renderPart(<Sample stored={profile} />);
  await waitFor(() => expect(values()).toEqual(['Robyn', 'Sample', 'r@example.com', '0400 111 222']));
});

test('the first failing rule is shown at its field: names, then email, then phone', async () => {
  const send = vi.fn();
  renderPart(<Sample stored={profile} onSend={send} />);
  await waitFor(() => expect(field('Email').value).not.toBe(''));
  await fill(field('First name'), ' ');
  await fill(field('Last name'), 'C');
  await fill(field('Email'), 'nowhere');
  await fill(field('Phone'), '12');
  for (const [label, good, message] of [
    ['First name', 'Alex', 'Please enter your first and last name as shown on your Australian ID.'],
    ['Last name', 'Citizen', 'Please enter valid first and last names.'],
    ['Email', ' alex@example.com ', 'Please enter a valid email address'],
    ['Phone', '0400 000 000', 'Phone number must be at least 10 digits'],
  ] as const) {
    await pay();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(message));
    expect(document.activeElement).toBe(field(label));
    expect(toast).toHaveBeenLastCalledWith({ title: 'Validation Error', description: message, tone: 'bad' });
    await fill(field(label), good);
  }
  expect(send).not.toHaveBeenCalled();
  await pay();
  await waitFor(() => expect(send).toHaveBeenCalledOnce());
  expect(send).toHaveBeenCalledWith({
    customerName: 'Alex Citizen',
    customerEmail: 'alex@example.com',
    customerPhone: '0400 000 000',
  });
});

test('a person with one name needs no last name', async () => {
  const send = vi.fn();
  renderPart(<Sample stored={profile} onSend={send} />);
  await waitFor(() => expect(field('Email').value).not.toBe(''));
  await user.click(field('I have one name'));
  expect(screen.queryByLabelText('Last name')).toBeNull();
  await fill(field('Name'), 'Sukarno');
  await pay();
  await waitFor(() => expect(send).toHaveBeenCalledWith(expect.objectContaining({ customerName: 'Sukarno' })));
});
