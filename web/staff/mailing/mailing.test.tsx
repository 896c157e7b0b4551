import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { watchSavedFiles } from '#web/ui/testing/saved-files.ts';
import { toast } from '#web/ui/toast.tsx';
import { Mailing } from './mailing.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const NEWS: queries.Campaign = {
  id: 'aaaaaaaa-1111-4111-8111-111111111111',
  subject: 'We open',
  made_by: 'Sam',
  created_at: '2031-03-03T00:00:00Z',
  per_minute: 60,
  recipients: 120,
  sent: 34,
  bounced: 1,
  skipped: 2,
  stopped_at: null,
  finished_at: null,
};
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('campaigns', []);
  wire.answerRows('search_mailing_list', []);
  wire.answerRows('mailing_list_counts', [{ subscribed: 120, gone: 3, bounced: 1 }]);
});
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));
const LETTER = { subject: 'We open', body: 'On Friday.\n\nSee https://example.com/booking.' };
async function write(): Promise<void> {
  await user.click(await screen.findByRole('button', { name: 'Write email' }));
  await fill(dialog().getByLabelText('Subject'), LETTER.subject);
  await fill(dialog().getByLabelText('Text'), LETTER.body);
}

test('an email to an empty list cannot be sent, and the page says why', async () => {
  wire.answerRows('mailing_list_counts', [{ subscribed: 0, gone: 3, bounced: 1 }]);
  renderPart(<Mailing />);
  await screen.findByText('0 subscribed, 3 unsubscribed, 1 bounced');
  await write();
  await press('Continue');
  expect(await dialog().findByText(/^The mailing list is empty/)).toBeTruthy();
  expect(dialog().queryByRole('button', { name: /^Send to/ })).toBeNull();
});

test('an empty list says so, and failures offer another try', async () => {
  wire.fail('campaigns', 500);
  wire.fail('search_mailing_list', 500);
  renderPart(<Mailing />);
  expect(await screen.findByText('The emails could not be loaded.')).toBeTruthy();
  expect(await screen.findByText('The addresses could not be loaded.')).toBeTruthy();
  wire.answerRows('campaigns', []);
  wire.answerRows('search_mailing_list', []);
  for (const button of screen.getAllByRole('button', { name: 'Try again' })) await user.click(button);
  expect(await screen.findByText('No email has been sent to the list yet.')).toBeTruthy();
  expect(await screen.findByText('No one has joined the list yet.')).toBeTruthy();
  expect(screen.getByText('120 subscribed, 3 unsubscribed, 1 bounced')).toBeTruthy();
});

test('an email is shown as it will look, sent as a test, and asked about before it leaves; another try is the same email', async () => {
  renderPart(<Mailing />);
  await write();
  const preview = within(dialog().getByRole('region', { name: 'Preview' }));
  expect(preview.getByRole('link', { name: 'https://example.com/booking' }).getAttribute('href')).toBe(
    'https://example.com/booking',
  );
  await press('Send test to me');
  await wire.expectSent('staff-test-campaign', LETTER);
  await user.selectOptions(dialog().getByLabelText('Pace'), '20 a minute');
  await press('Continue');
  expect(await dialog().findByText(/Send this email to 120 addresses\?/)).toBeTruthy();
  expect(wire.sent('staff-send-campaign')).toEqual([]);
  wire.fail('staff-send-campaign', 500, '');
  await press('Send to 120 addresses');
  expect(await dialog().findByText('The email was not sent. Check your connection.')).toBeTruthy();
  wire.answer('staff-send-campaign', { recipients: 119 });
  await press('Continue');
  await press('Send to 120 addresses');
  await waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({ title: 'The email is being sent', description: 'To 119 addresses.' }),
  );
  const [first, second] = wire.sent('staff-send-campaign');
  expect(first).toEqual(second);
  expect(second).toEqual({ ...LETTER, campaignId: expect.any(String), perMinute: 20 });
});

test('an email without a subject is not asked about', async () => {
  renderPart(<Mailing />);
  await user.click(await screen.findByRole('button', { name: 'Write email' }));
  await press('Continue');
  expect((await dialog().findByRole('alert')).textContent).toBe('Write a subject');
});

test('emails show their counts, and a running one its progress and can be stopped', async () => {
  wire.answerRows('campaigns', [
    NEWS,
    { ...NEWS, id: '22222222-2222-4222-8222-222222222222', subject: 'Old', finished_at: '2031-03-03T01:00:00Z' },
    { ...NEWS, id: '33333333-3333-4333-8333-333333333333', subject: 'Wrong', stopped_at: '2031-03-03T01:00:00Z' },
  ]);
  renderPart(<Mailing />);
  const bar = await screen.findByRole('progressbar', { name: 'Progress of We open' });
  expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['37', '120']);
  expect(screen.getAllByText('34 of 120')).toHaveLength(3);
  for (const words of ['Sending, 60 a minute', 'Finished', 'Stopped']) expect(screen.getByText(words)).toBeTruthy();
  expect(screen.getAllByText('Mon 3 Mar 2031, 11 am (Sydney time), by Sam')).toHaveLength(3);
  await press('Stop We open');
  await wire.expectSent('staff-stop-campaign', { campaignId: NEWS.id });
  await wire.expectRequests('campaigns', 2);
});

test('addresses are found by a part, marked, and removed after a question; the list is downloaded', async () => {
  const joined = { joined_at: '2031-03-03T00:00:00Z', left_at: null, bounced_at: null };
  wire.answerRows('search_mailing_list', [
    { ...joined, email: 'ana@example.com' },
    { ...joined, email: 'ben@example.com', left_at: '2031-03-04T00:00:00Z' },
    { ...joined, email: 'cleo@example.com', bounced_at: '2031-03-04T00:00:00Z' },
  ]);
  renderPart(<Mailing />);
  await fill(screen.getByLabelText('Search addresses'), 'example');
  await press('Search');
  await waitFor(() => expect(wire.sentTo('search_mailing_list').at(-1)?.body).toMatchObject({ words: 'example' }));
  for (const words of ['Subscribed', 'Unsubscribed', 'Bounced'])
    expect((await screen.findAllByText(words)).length).toBeTruthy();
  await press('Remove ana@example.com');
  expect(wire.sentTo('remove_from_mailing_list')).toEqual([]);
  wire.answerRows('remove_from_mailing_list', null);
  await user.click(dialog().getByRole('button', { name: 'Remove address' }));
  await waitFor(() =>
    expect(wire.sentTo('remove_from_mailing_list')).toMatchObject([{ body: { address: 'ana@example.com' } }]),
  );
  await wire.expectRequests('mailing_list_counts', 2);
  const savedFiles = watchSavedFiles();
  wire.answerFile('staff-export-list', 'Email\r\n', 'text/csv; charset=utf-8');
  await press('Download list');
  await expect.poll(savedFiles).toEqual([{ name: 'mailing-list.csv', type: 'text/csv', text: 'Email\r\n' }]);
  expect(wire.sent('staff-export-list')).toEqual([{ list: 'mailing-list' }]);
});
