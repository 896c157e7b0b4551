import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { AppError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { Camera } from './camera.tsx';
import { IdDialog } from './id-dialog.tsx';
import { IdRequest } from './id-request.tsx';
import { IdStatusPart } from './id-status.tsx';
import * as pictures from './picture.ts';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/session.tsx', () => ({ useSession: () => ({ user: { id: 'u' } }) }));
vi.mock('./picture.ts', () => ({ readPicture: vi.fn(), takePicture: vi.fn() }));
vi.mock('./queries.ts', () => ({ verifyId: vi.fn(), createHostedCheck: vi.fn(), useIdStatus: vi.fn(), idQueries: [] }));
const calls = vi.mocked({ ...queries, ...pictures });
beforeEach(() => vi.resetAllMocks());
afterEach(() => vi.unstubAllGlobals());

const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
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
  calls.verifyId.mockResolvedValueOnce({ verificationId: 'v1', decision: 'verified', failureReasons: [] });
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
  calls.verifyId.mockResolvedValueOnce({ verificationId: 'v', decision: 'failed', failureReasons });
  await press('Verify my ID');
  expect(await alert()).toBe('Your ID has expired.The names are different.');
  await press('Try Again');
  expect(screen.getByLabelText('Upload a photo')).toBeTruthy();
});

test('without reasons, or without an answer, the check says that it failed', async () => {
  await choosePhoto();
  calls.verifyId.mockResolvedValueOnce({ verificationId: 'v', decision: 'failed', failureReasons: [] });
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
  calls.verifyId.mockResolvedValueOnce({ verificationId: 'v', decision: 'review', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  expect(await screen.findByText(/Someone on our team will look at your photo by /)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Use the online check' })).toBeTruthy();
});

test('the online check is not offered where there is none', async () => {
  await choosePhoto();
  const review = {
    verificationId: 'v',
    decision: 'review',
    failureReasons: ['Not clear.'],
    hostedCheck: false,
  } as const;
  calls.verifyId.mockResolvedValueOnce(review);
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
  calls.verifyId.mockResolvedValueOnce({ verificationId: 'v', decision: 'failed', failureReasons: ['Not clear.'] });
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
  const data = { verifiedUntil: null, decidedBy: new Date('2026-11-30T02:00:00Z') };
  // @ts-expect-error: the part reads only these fields of a query.
  calls.useIdStatus.mockReturnValue({ data, isError: false });
  vi.useFakeTimers({ now: new Date('2026-11-30T10:00:00Z'), toFake: ['Date'] });
  const both = (
    <>
      <IdStatusPart userId="u" />
      <IdRequest userId="u" wanted />
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
