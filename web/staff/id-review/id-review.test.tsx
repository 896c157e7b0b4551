import { useQueryClient } from '@tanstack/react-query';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import type * as queries from './queries.ts';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { ReviewQueue } from './review-queue.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
// The picture consists of the bytes “abc”.
const PICTURE = 'data:image/jpeg;base64,YWJj';
const WAITING: queries.WaitingId = {
  id: '11111111-1111-4111-8111-111111111111',
  created_at: '2031-03-01T00:00:00Z',
  next_session: '2031-03-02T22:00:00Z',
  source: 'photo',
  has_picture: true,
  failure_reasons: ['The name on your ID does not match your account.'],
  first_name: 'Alex',
  middle_name: null,
  last_name: 'CITIZEM',
  date_of_birth: '1998-04-03',
  expiry_date: '2090-01-01',
  account_name: 'Alex Citizen',
  account_date_of_birth: '1998-04-03',
  account_email: 'alex@example.com',
};
beforeEach(() => {
  vi.resetAllMocks();
  wire.signIn('u', { email: 'staff@example.com' });
  wire.answerRows('waiting_reviews', [WAITING]);
  wire.answerFile('staff-id-picture', 'abc', 'application/octet-stream');
});

const dialog = () => within(screen.getByRole('dialog'));
const press = (name: string | RegExp) => user.click(dialog().getByRole('button', { name }));
async function open() {
  renderPart(withAccount(<ReviewQueue />));
  await user.click(await screen.findByRole('button', { name: 'Review the ID of Alex Citizen' }));
}

test('the queue names customer, next session, the day to decide by and why', async () => {
  renderPart(withAccount(<ReviewQueue />));
  expect(await screen.findByText('Alex Citizen')).toBeTruthy();
  for (const words of ['Mon 3 Mar 2031, 9 am', 'Sat 8 Mar 2031', ...WAITING.failure_reasons])
    expect(screen.getByText(words)).toBeTruthy();
  expect(wire.sent('staff-id-picture')).toEqual([]);
});

test('an empty queue says so, and one that cannot be loaded offers another try', async () => {
  wire.fail('waiting_reviews', 500);
  renderPart(withAccount(<ReviewQueue />));
  expect(await screen.findByText('The IDs could not be loaded.')).toBeTruthy();
  wire.answerRows('waiting_reviews', []);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No IDs are pending review.')).toBeTruthy();
});

test('the picture is read once and has the viewer’s address over it', async () => {
  await open();
  const picture = await dialog().findByAltText<HTMLImageElement>('The customer’s ID');
  expect(picture.src).toBe(PICTURE);
  expect(dialog().getAllByText(/^staff@example.com /).length).toBeGreaterThan(10);
  expect(wire.sent('staff-id-picture')).toEqual([{ verificationId: WAITING.id }]);
});

test('differences are marked and follow corrections; an ID is approved with them after a question', async () => {
  await open();
  expect(dialog().getByText('Different name')).toBeTruthy();
  expect(dialog().getByText('Same date of birth')).toBeTruthy();
  await fill(dialog().getByLabelText('Last name'), 'Citizen');
  expect(dialog().getByText('Same name')).toBeTruthy();
  await press('Approve ID');
  expect(wire.sent('staff-review-id')).toEqual([]);
  await press('Approve ID');
  const decision = { decision: 'approve', reason: null, fields: { lastName: 'Citizen' } } as const;
  await wire.expectSent('staff-review-id', { verificationId: WAITING.id, ...decision });
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'ID approved', description: 'Alex Citizen' }));
  await wire.expectRequests('waiting_reviews', 2);
});

test('an ID of somebody under 18 cannot be approved, and the page says why', async () => {
  await open();
  await fill(dialog().getByLabelText('Date of birth'), '2089-01-01');
  expect(dialog().getByText('The ID says under 18. It can’t be approved.')).toBeTruthy();
  expect(dialog().getByRole<HTMLButtonElement>('button', { name: 'Approve ID' }).disabled).toBe(true);
});

test('a refusal needs a reason; asking for another photo does not', async () => {
  await open();
  await press('Reject ID');
  await press('Reject ID');
  expect(await dialog().findByText('Enter a reason for the customer.')).toBeTruthy();
  expect(wire.sent('staff-review-id')).toEqual([]);
  await fill(dialog().getByLabelText('Reason for the customer'), 'It is not yours.');
  await press('Reject ID');
  const refusal = {
    verificationId: WAITING.id,
    decision: 'refuse',
    reason: 'It is not yours.',
    fields: {},
  } as const;
  await wire.expectSent('staff-review-id', refusal);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Review the ID of Alex Citizen' }));
  await press('Request new photo');
  await press('Request new photo');
  await wire.expectSent('staff-review-id', refusal, { ...refusal, decision: 'retake', reason: null });
});

test('a decision that is refused says why and stays open', async () => {
  wire.refuse('staff-review-id', 'already_done');
  await open();
  await press('Approve ID');
  await press('Approve ID');
  expect(await dialog().findByText('A colleague has already decided about this ID.')).toBeTruthy();
});

function Changes() {
  const client = useQueryClient();
  return <button onClick={() => void client.invalidateQueries()}>Something changed</button>;
}
test('an ID that somebody else decides meanwhile says so in place of the form', async () => {
  renderPart(withAccount(<ReviewQueue />), { sibling: <Changes /> });
  await user.click(await screen.findByRole('button', { name: 'Review the ID of Alex Citizen' }));
  wire.answerRows('waiting_reviews', []);
  await user.click(screen.getByText('Something changed'));
  expect(await dialog().findByText('This ID is no longer pending review.')).toBeTruthy();
});

test('a picture that is deleted, or that the hosted check keeps, is not asked for', async () => {
  wire.answerRows('waiting_reviews', [
    { ...WAITING, has_picture: false },
    {
      ...WAITING,
      id: '22222222-2222-4222-8222-222222222222',
      account_name: 'Sam',
      has_picture: false,
      source: 'hosted',
    },
  ]);
  await open();
  expect(dialog().getByText('The picture has been deleted.')).toBeTruthy();
  await press('Close');
  await user.click(screen.getByRole('button', { name: 'Review the ID of Sam' }));
  expect(dialog().getByText('The online check provider keeps the picture.')).toBeTruthy();
  expect(wire.sent('staff-id-picture')).toEqual([]);
});
