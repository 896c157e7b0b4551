import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UNDER_AGE } from '#rules/identity.ts';
import { constants } from '#rules/venue.ts';
import { waitForAccount, withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Camera } from './camera.tsx';
import { IdDialog } from './id-dialog.tsx';
import { IdRequest } from './id-request.tsx';
import { IdStatusPart } from './id-status.tsx';
import * as pictures from './picture.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('./picture.ts', () => ({ readPicture: vi.fn(), takePicture: vi.fn() }));
const { readPicture, takePicture } = vi.mocked(pictures);
beforeEach(() => void vi.resetAllMocks());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
const DRAFT = {
  studio_id: 's',
  end_time: '2026-12-24T10:00:00Z',
  slots: [{ hour: 20, label: '8 PM', date: '2026-12-24', price: 59 }],
};
const ID = '66666666-6666-4666-8666-666666666666';
type Result = ReturnType<typeof wire.exampleFrom<'verify-id'>>;
/** From now on, a photo is read as showing an adult with the account's name and birth date, except for these fields. */
const answerCheck = (fields: Partial<Result> & Pick<Result, 'decision'>): void =>
  wire.answer('verify-id', {
    ...wire.exampleFrom('verify-id'),
    verificationId: ID,
    verification_status: fields.decision,
    nameMatchStatus: 'match',
    failureReasons: [],
    ...fields,
  });
/** An answer without a message for people. */
const NO_WORDS = '{"no": "words"}';
const PICTURE = `data:image/jpeg;base64,${'eHh4'.repeat(4)}`;
const PHOTO = new File(['x'], 'licence.jpg', { type: 'image/jpeg' });

/** Opens the dialog and chooses a photo. The preview of the photo is then shown. */
async function choosePhoto(onVerified = vi.fn()): Promise<void> {
  readPicture.mockResolvedValue(PICTURE);
  wire.signIn('u');
  renderPart(withAccount(<IdDialog open onClose={vi.fn()} onVerified={onVerified} />));
  await waitForAccount();
  await user.upload(screen.getByLabelText('Upload a photo'), PHOTO);
  await screen.findByText('Can you read every word? Then we can too.');
}

test('a file that is no image, is too large or cannot be opened is refused with its reason', async () => {
  renderPart(withAccount(<IdDialog open onClose={vi.fn()} onVerified={vi.fn()} />));
  const input = screen.getByLabelText('Upload a photo');
  const choose = (file: File) => fireEvent.change(input, { target: { files: [file] } });
  choose(new File(['x'], 'a.pdf', { type: 'application/pdf' }));
  expect(await alert()).toBe('Please upload an image file.');
  const large = new File(['x'], 'a.jpg', { type: 'image/jpeg' });
  Object.defineProperty(large, 'size', { value: 10 * 1024 * 1024 });
  choose(large);
  await waitFor(async () => expect(await alert()).toBe('Please upload an image smaller than 10MB.'));
  readPicture.mockRejectedValueOnce(new Error('This picture could not be opened.'));
  choose(PHOTO);
  await waitFor(async () => expect(await alert()).toBe('This picture could not be opened.'));
});

test('a verified ID is announced, and reported after a second and a half', async () => {
  const verified = vi.fn();
  await choosePhoto(verified);
  answerCheck({ decision: 'verified' });
  await press('Verify my ID');
  expect((await screen.findByText('ID Verified')).closest('[role=status]')).toBeTruthy();
  expect(toast).toHaveBeenCalledWith({ title: 'ID Verified' });
  expect(verified).not.toHaveBeenCalled();
  await waitFor(() => expect(verified).toHaveBeenCalledWith(ID), { timeout: 3_000 });
  expect(wire.sent('verify-id')).toEqual([{ idImage: PICTURE }]);
});

test('while an ID is read the dialog says so', async () => {
  await choosePhoto();
  answerCheck({ decision: 'failed', failureReasons: ['Not clear.'] });
  const release = wire.pause('verify-id');
  await press('Verify my ID');
  expect(await screen.findByText('Reading your ID. This takes a few seconds.')).toBeTruthy();
  release();
  expect(await alert()).toBe('Not clear.');
});

test('a failed check shows its reasons, and Try Again returns to the photo', async () => {
  await choosePhoto();
  const failureReasons = ['Your ID has expired.', 'The names are different.'];
  answerCheck({ decision: 'failed', failureReasons });
  await press('Verify my ID');
  expect(await alert()).toBe('Your ID has expired.The names are different.');
  await press('Try Again');
  expect(screen.getByLabelText('Upload a photo')).toBeTruthy();
});

test('without reasons or words the check says that it failed, and without an answer that we cannot be reached', async () => {
  await choosePhoto();
  answerCheck({ decision: 'failed' });
  await press('Verify my ID');
  expect(await alert()).toBe('Verification failed. Please try again.');
  const tryAgain = async (): Promise<string | null> => {
    await press('Try Again');
    await user.upload(screen.getByLabelText('Upload a photo'), PHOTO);
    await user.click(await screen.findByRole('button', { name: 'Verify my ID' }));
    return alert();
  };
  wire.fail('verify-id', 500, NO_WORDS);
  expect(await tryAgain()).toBe('Verification failed. Please try again.');
  wire.fail('verify-id', 0);
  expect(await tryAgain()).toBe('We can’t reach the studio right now. Please check your connection and try again.');
});

test('a photo in review names the day of the decision and still offers other ways', async () => {
  await choosePhoto();
  answerCheck({ decision: 'review', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  expect(await screen.findByText(/Someone on our team will look at your photo by /)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Use the online check' })).toBeTruthy();
});

test('the online check is not offered where there is none', async () => {
  await choosePhoto();
  answerCheck({ decision: 'review', failureReasons: ['Not clear.'], hostedCheck: false });
  await press('Verify my ID');
  expect(await screen.findByText(/try again with a sharper photo\.$/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try Again' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('the online check is not offered again after the server said that there is none', async () => {
  await choosePhoto();
  wire.refuse('verify-id', 'provider_unavailable', { message: 'We can’t read photos right now.' });
  await press('Verify my ID');
  wire.refuse('create-verification-session', 'not_configured', { message: 'Please use a photo.' });
  await user.click(await screen.findByRole('button', { name: 'Use the online check' }));
  expect(await screen.findByText('Please use a photo.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('a final result offers neither another photo nor the online check', async () => {
  await choosePhoto();
  wire.refuse('verify-id', 'age_required', { message: 'You must be 18 years or older.' });
  await press('Verify my ID');
  expect(await alert()).toBe('You must be 18 years or older.');
  expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Use the online check' })).toBeNull();
});

test('an online check that cannot start says why [spec 8.17]', async () => {
  await choosePhoto();
  answerCheck({ decision: 'failed', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  wire.fail('create-verification-session', 500, NO_WORDS);
  await user.click(await screen.findByRole('button', { name: 'Use the online check' }));
  expect(await screen.findByText('Failed to start verification. Please try again.')).toBeTruthy();
  expect(toast).toHaveBeenLastCalledWith({ title: 'Failed to start verification. Please try again.', tone: 'bad' });
});

/** Installs a camera in the browser. `stopped` counts the streams that were closed. */
function plugInCamera() {
  const state = { stopped: 0, asked: [] as unknown[] };
  const getUserMedia = vi.fn((constraints: { video: { facingMode: string } }) => {
    state.asked.push(constraints.video.facingMode);
    return Promise.resolve({ getTracks: () => [{ stop: () => (state.stopped += 1) }] });
  });
  vi.stubGlobal('navigator', Object.assign(navigator, { mediaDevices: { getUserMedia } }));
  // The test DOM accepts only its own streams.
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
  takePicture.mockReturnValueOnce(PICTURE);
  await press('Take photo');
  expect(onPicture).toHaveBeenCalledWith(PICTURE);
  unmount();
  await waitFor(() => expect(state.stopped).toBe(3));
});

test('a camera without permission, one that is not ready and a failed photo each say so; it can be tried again', async () => {
  const state = plugInCamera();
  vi.mocked(navigator.mediaDevices.getUserMedia).mockRejectedValueOnce(new DOMException('no', 'NotAllowedError'));
  renderPart(<Camera onPicture={vi.fn()} />);
  expect(await alert()).toContain('Camera Access Denied - Please allow camera access in your browser settings.');
  await press('Try the camera again');
  takePicture.mockReturnValueOnce(null);
  await press('Take photo');
  expect(await alert()).toContain('Camera Error - Camera not properly initialized. Please close and try again.');
  await press('Try the camera again');
  takePicture.mockImplementationOnce(() => {
    throw new Error('');
  });
  await press('Take photo');
  expect(await alert()).toContain('Failed to capture image. Please try again.');
  expect(state.asked).toHaveLength(2);
});

/** Renders both components that show the state of the account's checks, with this check. */
function showStatus(check: object): () => void {
  wire.answerRows('id_verifications', [{ failure_reasons: [], expires_at: null, extracted_dob: null, ...check }]);
  const both = (
    <>
      <IdStatusPart userId="u" />
      <IdRequest userId="u" enabled>
        <button type="button">Verify</button>
      </IdRequest>
    </>
  );
  return renderPart(withAccount(both)).unmount;
}
/** A photo that staff have to review by that time. */
const reviewUntil = (until: string) => ({
  verification_status: 'review',
  created_at: new Date(Date.parse(until) - constants.idReviewDays * 86_400_000),
});

test('a check that waits for a person says by when it is decided, and names no day that has passed [spec 10.23]', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-30T10:00:00Z'), toFake: ['Date'] });
  const unmount = showStatus(reviewUntil('2026-11-30T02:00:00Z'));
  expect(
    await screen.findByText(/^You’ll have an answer by Monday 30 November 2026\. You don’t have to wait/),
  ).toBeTruthy();
  expect(screen.getByText(/will decide by Monday 30 November 2026\. You don’t have to wait/)).toBeTruthy();
  expect(wire.sentTo('id_verifications').map(({ search }) => search.get('user_id'))).toEqual(['eq.u']);
  unmount();
  vi.setSystemTime(new Date('2026-12-01T00:00:00Z'));
  showStatus(reviewUntil('2026-11-30T02:00:00Z'));
  expect(await screen.findAllByText(/is taking longer than we said\. You don’t have to wait/)).toHaveLength(2);
  expect(screen.queryByText(/30 November/)).toBeNull();
});

test('a name that differs is named, and with one press it becomes the name of the account and the photo is checked again', async () => {
  const verified = vi.fn();
  await choosePhoto(verified);
  answerCheck({
    decision: 'review',
    nameMatchStatus: 'partial',
    failureReasons: ['The name on your ID does not match your account.'],
  });
  await press('Verify my ID');
  expect((await screen.findByText(/On your ID we read/)).textContent).toContain('Sam Alex Customer');
  expect(screen.getByText(/correct the name of your account, or use the online check now/)).toBeTruthy();
  wire.answerRows('profiles', null, 'PATCH');
  answerCheck({ decision: 'verified' });
  await press('My name is Sam Alex Customer');
  await waitFor(() => expect(verified).toHaveBeenCalledWith(ID), { timeout: 3_000 });
  const changes = wire.sentTo('profiles').map(({ body, search }) => [search.get('user_id'), body]);
  expect(changes).toEqual([['eq.u', { full_name: 'Sam Alex Customer' }]]);
  expect(wire.sent('verify-id')).toEqual([{ idImage: PICTURE }, { idImage: PICTURE }]);
});

test('the name is not offered where the birth date differs too', async () => {
  await choosePhoto();
  answerCheck({ decision: 'review', nameMatchStatus: 'mismatch', dobMatches: false, failureReasons: ['Not you.'] });
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
  answerCheck({ decision: 'review', failureReasons: ['Not clear.'] });
  await press('Verify my ID');
  expect((await screen.findByText(/Someone on our team will look/)).textContent).toContain(words);
});

test('a licence that says under 18 gives one final answer on every card, without a button', async () => {
  showStatus({
    verification_status: 'failed',
    failure_reasons: [UNDER_AGE],
    extracted_dob: '2020-04-03',
    created_at: '2026-11-20T00:00:00Z',
  });
  expect(
    await screen.findAllByText(/Your licence says you turn 18 on Saturday 3 April 2038\. You can book from that day/),
  ).toHaveLength(2);
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(screen.queryByText(/checking your ID/)).toBeNull();
});
