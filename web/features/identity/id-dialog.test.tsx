import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { saveName } from '#web/data/profile.ts';
import { AppError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { Camera } from './camera.tsx';
import { IdDialog } from './id-dialog.tsx';
import { IdRequest } from './id-request.tsx';
import { IdStatusPart } from './id-status.tsx';
import * as pictures from './picture.ts';
import * as queries from './queries.ts';
import { useIdStatus } from './status-query.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/session.tsx', () => ({ useSession: () => ({ user: { id: 'u' } }) }));
vi.mock('#web/data/profile.ts', () => ({ saveName: vi.fn() }));
vi.mock('./picture.ts', () => ({ readPicture: vi.fn(), takePicture: vi.fn() }));
vi.mock('./queries.ts', () => ({ verifyId: vi.fn(), createHostedCheck: vi.fn(), idQueries: [] }));
vi.mock('./status-query.ts', () => ({ useIdStatus: vi.fn() }));
const calls = vi.mocked({ ...queries, ...pictures, useIdStatus });
beforeEach(() => vi.resetAllMocks());
afterEach(() => vi.unstubAllGlobals());

const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
const DRAFT = {
  studio_id: 's',
  end_time: '2026-12-24T10:00:00Z',
  slots: [{ hour: 20, label: '8 PM', date: '2026-12-24', price: 59 }],
};
const RESULT: Omit<queries.IdResult, 'decision'> = {
  verificationId: 'v',
  isFinal: false,
  hostedCheck: true,
  verification_status: 'failed',
  extractedData: {
    fullName: 'Alex Citizen',
    firstName: 'Alex',
    middleName: null,
    lastName: 'Citizen',
    dateOfBirth: '1990-01-02',
    expiryDate: '2033-04-05',
  },
  isOver18: true,
  age: 36,
  isExpired: false,
  isNswLicense: true,
  nameMatchStatus: 'match',
  nameMatchDetails: 'The names are the same.',
  profileDob: '1990-01-02',
  dobMatches: true,
  aiRawResponse: null,
  aiConfidenceScore: 90,
  failureReasons: [],
};
const PHOTO = new File(['x'], 'licence.jpg', { type: 'image/jpeg' });

/** Opens the dialog and chooses a photo, which is shown for a check. */
async function choosePhoto(onVerified = vi.fn()): Promise<void> {
  calls.readPicture.mockResolvedValue('data:image/jpeg;base64,eA==');
  renderPart(<IdDialog open onClose={vi.fn()} onVerified={onVerified} />);
  await user.upload(screen.getByLabelText('Upload a photo'), PHOTO);
  await screen.findByText('Can you read every word? Then we can too.');
}

test('a file that is no image, is too large or cannot be opened is refused with its reason', async () => {
  renderPart(<IdDialog open onClose={vi.fn()} onVerified={vi.fn()} />);
  const input = screen.getByLabelText('Upload a photo');
  const choose = (file: File) => fireEvent.change(input, { target: { files: [file] } });
  choose(new File(['x'], 'a.pdf', { type: 'application/pdf' }));
  expect(await alert()).toBe('Please upload an image file.');
  const large = new File(['x'], 'a.jpg', { type: 'image/jpeg' });
  Object.defineProperty(large, 'size', { value: 10 * 1024 * 1024 });
  choose(large);
  await waitFor(async () => expect(await alert()).toBe('Please upload an image smaller than 10MB.'));
  calls.readPicture.mockRejectedValueOnce(new Error('This picture could not be opened.'));
  choose(PHOTO);
  await waitFor(async () => expect(await alert()).toBe('This picture could not be opened.'));
});

test('a verified ID is announced, and reported after a second and a half', async () => {
  const verified = vi.fn();
  await choosePhoto(verified);
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, verificationId: 'v1', decision: 'verified' });
  await press('Verify my ID');
  expect((await screen.findByText('ID Verified')).closest('[role=status]')).toBeTruthy();
  expect(toast).toHaveBeenCalledWith({ title: 'ID Verified' });
  expect(verified).not.toHaveBeenCalled();
  await waitFor(() => expect(verified).toHaveBeenCalledWith('v1'), { timeout: 3_000 });
});

test('while an ID is read the dialog says so', async () => {
  await choosePhoto();
  calls.verifyId.mockReturnValueOnce(new Promise(() => {}));
  await press('Verify my ID');
  expect(await screen.findByText('Reading your ID. This takes a few seconds.')).toBeTruthy();
});

test('a failed check shows its reasons, and Try Again returns to the photo', async () => {
  await choosePhoto();
  const failureReasons = ['Your ID has expired.', 'The names are different.'];
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'failed', failureReasons });
  await press('Verify my ID');
  expect(await alert()).toBe('Your ID has expired.The names are different.');
  await press('Try Again');
  expect(screen.getByLabelText('Upload a photo')).toBeTruthy();
});

test('without reasons, or without an answer, the check says that it failed', async () => {
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'failed' });
  await press('Verify my ID');
  expect(await alert()).toBe('Verification failed. Please try again.');
  await press('Try Again');
  await user.upload(screen.getByLabelText('Upload a photo'), PHOTO);
  calls.verifyId.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await user.click(await screen.findByRole('button', { name: 'Verify my ID' }));
  expect(await alert()).toBe('Verification failed. Please try again.');
});

test('a photo in review names the day of the decision and still offers other ways', async () => {
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'review', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  expect(await screen.findByText(/Someone on our team will look at your photo by /)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Use the online check' })).toBeTruthy();
});

test('the online check is not offered where there is none', async () => {
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({
    ...RESULT,
    decision: 'review',
    failureReasons: ['Not clear.'],
    hostedCheck: false,
  });
  await press('Verify my ID');
  expect(await screen.findByText(/try again with a sharper photo\.$/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try Again' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('the online check is not offered again after the server said that there is none', async () => {
  await choosePhoto();
  calls.verifyId.mockRejectedValueOnce(new AppError('provider_unavailable', 'We can’t read photos right now.', 503));
  await press('Verify my ID');
  calls.createHostedCheck.mockRejectedValueOnce(new AppError('not_configured', 'Please use a photo.', 409));
  await user.click(await screen.findByRole('button', { name: 'Use the online check' }));
  expect(await screen.findByText('Please use a photo.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('a final result offers neither another photo nor the online check', async () => {
  await choosePhoto();
  calls.verifyId.mockRejectedValueOnce(new AppError('age_required', 'You must be 18 years or older.', 403));
  await press('Verify my ID');
  expect(await alert()).toBe('You must be 18 years or older.');
  expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('an online check that cannot start says why', async () => {
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'failed', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  calls.createHostedCheck.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await user.click(await screen.findByRole('button', { name: 'Use the online check' }));
  expect(await screen.findByText('Failed to start verification. Please try again.')).toBeTruthy();
  expect(toast).toHaveBeenLastCalledWith({ title: 'Failed to start verification. Please try again.', tone: 'bad' });
});

/** A camera in the browser; `stopped` counts the streams that were closed. */
function plugInCamera() {
  const state = { stopped: 0, asked: [] as unknown[] };
  const getUserMedia = vi.fn((wanted: { video: { facingMode: string } }) => {
    state.asked.push(wanted.video.facingMode);
    return Promise.resolve({ getTracks: () => [{ stop: () => (state.stopped += 1) }] });
  });
  vi.stubGlobal('navigator', Object.assign(navigator, { mediaDevices: { getUserMedia } }));
  // The DOM of the tests accepts only its own streams.
  Object.defineProperty(HTMLVideoElement.prototype, 'srcObject', { configurable: true, set: () => {} });
  return state;
}

test('the camera takes a photo, can be switched, and is closed afterwards', async () => {
  const state = plugInCamera();
  const onPicture = vi.fn();
  const { unmount } = renderPart(<Camera onPicture={onPicture} />);
  await press('Switch camera');
  await press('Switch camera');
  expect(state.asked).toEqual(['environment', 'user', 'environment']);
  calls.takePicture.mockReturnValueOnce('data:image/jpeg;base64,eA==');
  await press('Take photo');
  expect(onPicture).toHaveBeenCalledWith('data:image/jpeg;base64,eA==');
  unmount();
  await waitFor(() => expect(state.stopped).toBe(3));
});

test('a camera without permission, one that is not ready and a failed photo each say so; it can be tried again', async () => {
  const state = plugInCamera();
  vi.mocked(navigator.mediaDevices.getUserMedia).mockRejectedValueOnce(new DOMException('no', 'NotAllowedError'));
  renderPart(<Camera onPicture={vi.fn()} />);
  expect(await alert()).toContain('Camera Access Denied - Please allow camera access in your browser settings.');
  await press('Try the camera again');
  calls.takePicture.mockReturnValueOnce(null);
  await press('Take photo');
  expect(await alert()).toContain('Camera Error - Camera not properly initialized. Please close and try again.');
  await press('Try the camera again');
  calls.takePicture.mockImplementationOnce(() => {
    throw new Error('');
  });
  await press('Take photo');
  expect(await alert()).toContain('Failed to capture image. Please try again.');
  expect(state.asked).toHaveLength(2);
});

test('a check that waits for a person says by when it is decided, and names no day that has passed', () => {
  const data = { verifiedUntil: null, decidedBy: new Date('2026-11-30T02:00:00Z'), adultOn: null, names: null };
  // @ts-expect-error: the part reads only these fields of a query.
  calls.useIdStatus.mockReturnValue({ data, isError: false });
  vi.useFakeTimers({ now: new Date('2026-11-30T10:00:00Z'), toFake: ['Date'] });
  const both = (
    <>
      <IdStatusPart userId="u" />
      <IdRequest userId="u" wanted>
        <button type="button">Verify</button>
      </IdRequest>
    </>
  );
  const { unmount } = renderPart(both);
  expect(screen.getByText(/^You’ll have an answer by Monday 30 November 2026\. You don’t have to wait/)).toBeTruthy();
  expect(screen.getByText(/will decide by Monday 30 November 2026\. You don’t have to wait/)).toBeTruthy();
  unmount();
  vi.setSystemTime(new Date('2026-12-01T00:00:00Z'));
  renderPart(both);
  expect(screen.getAllByText(/is taking longer than we said\. You don’t have to wait/)).toHaveLength(2);
  expect(screen.queryByText(/30 November/)).toBeNull();
  vi.useRealTimers();
});

test('a name that differs is named, and with one press it becomes the name of the account and the photo is checked again', async () => {
  const verified = vi.fn();
  await choosePhoto(verified);
  const mismatch = { ...RESULT, decision: 'review', nameMatchStatus: 'partial' } as const;
  calls.verifyId.mockResolvedValueOnce({
    ...mismatch,
    failureReasons: ['The name on your ID does not match your account.'],
  });
  await press('Verify my ID');
  expect((await screen.findByText(/On your ID we read/)).textContent).toContain('Alex Citizen');
  expect(screen.getByText(/correct the name of your account, or use the online check now/)).toBeTruthy();
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'verified' });
  await press('My name is Alex Citizen');
  expect(vi.mocked(saveName).mock.calls).toEqual([['u', 'Alex Citizen']]);
  await waitFor(() => expect(verified).toHaveBeenCalledWith('v'), { timeout: 3_000 });
  expect(calls.verifyId.mock.calls).toHaveLength(2);
});

test('the name is not offered where the birth date differs too', async () => {
  await choosePhoto();
  const other = { ...RESULT, decision: 'review', nameMatchStatus: 'mismatch', dobMatches: false } as const;
  calls.verifyId.mockResolvedValueOnce({ ...other, failureReasons: ['Not you.'] });
  await press('Verify my ID');
  expect(await screen.findByText('Not you.')).toBeTruthy();
  expect(screen.queryByText(/On your ID we read/)).toBeNull();
});

test.each([
  ['2026-12-24T09:00:00Z', 'before your session'],
  ['2026-11-21T09:00:00Z', 'which may be too late for the hours you chose'],
])('with hours from %s a review says that it is decided %s', async (start_time, words) => {
  vi.useFakeTimers({ now: new Date('2026-11-20T04:00:00Z'), toFake: ['Date'] });
  sessionStorage.setItem('checkoutBookingData', JSON.stringify({ ...DRAFT, start_time }));
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({ ...RESULT, decision: 'review', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  expect((await screen.findByText(/Someone on our team will look/)).textContent).toContain(words);
  vi.useRealTimers();
});

test('a licence that says under 18 gives one final answer on every card, without a button', () => {
  const data = { verifiedUntil: null, decidedBy: new Date('2026-11-30T02:00:00Z'), adultOn: '2038-04-03', names: null };
  // @ts-expect-error: the parts read only these fields of a query.
  calls.useIdStatus.mockReturnValue({ data, isError: false });
  renderPart(
    <>
      <IdStatusPart userId="u" />
      <IdRequest userId="u" wanted>
        <button type="button">Verify</button>
      </IdRequest>
    </>,
  );
  expect(
    screen.getAllByText(/Your licence says you turn 18 on Saturday 3 April 2038\. You can book from that day/),
  ).toHaveLength(2);
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(screen.queryByText(/checking your ID/)).toBeNull();
});
