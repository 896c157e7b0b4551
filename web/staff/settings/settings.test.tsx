import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import * as photos from '#web/data/photos/upload.ts';
import type { BusinessSettings } from '#rules/business/business.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { Toaster } from '#web/ui/toast.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { Settings } from './settings.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('#web/data/photos/upload.ts'), async (original) => ({ ...(await original()), uploadPhoto: vi.fn() }));
const { uploadPhoto } = vi.mocked(photos);

const first = { version: 1, settings: firstSettings, at: new Date('2026-11-01T00:00:00Z'), by: null };
const second = {
  version: 2,
  settings: { ...firstSettings, notice: 'Closed on Monday', holdMinutes: 20 },
  at: new Date('2026-11-20T00:30:00Z'),
  by: 'Kim Owner',
};
const KIM = '11111111-1111-4111-8111-111111111111';
type Version = { version: number; settings: BusinessSettings; at: Date; by: string | null };
/** Answers with these versions. A name stands for the account of that person. */
function answer(...versions: readonly Version[]): void {
  const rows = versions.map(({ version, settings, at, by }) => ({
    version,
    settings,
    created_at: at,
    created_by: by === null ? null : KIM,
  }));
  wire.answerRows('business_settings', rows);
  wire.answerRows('staff_names', [{ user_id: KIM, full_name: 'Kim Owner' }]);
}
const changes = () => wire.sent('staff-set-settings');
beforeEach(() => {
  answer(second, first);
});
const show = () =>
  renderPart(<Settings preview={({ name, notice }) => <p>{`Preview: ${name}, ${notice}`}</p>} />, {
    sibling: <Toaster />,
  });
const KEPT = 'Your changes are still here. They are not saved yet.';
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('only changed settings are sent, after a table of what changes and a preview of the site', async () => {
  show();
  await fill(await screen.findByLabelText('Name'), ' Harbour ');
  await fill(screen.getByLabelText('Minutes to pay'), '25');
  await press('Preview changes');
  const table = await screen.findByRole('table', { name: 'Changes' });
  expect(
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent),
  ).toEqual([expect.stringContaining('Harbour'), expect.stringMatching(/20 minutes.*25 minutes/)]);
  expect(screen.getByText('Preview: Harbour, Closed on Monday')).toBeTruthy();
  expect(changes()).toEqual([]);
  await press('Save settings');
  await wire.expectSent('staff-set-settings', { name: 'Harbour', holdMinutes: 25 });
});

test('a new cancellation period is announced as new terms, which everybody has to accept, and bookings keep theirs', async () => {
  show();
  await fill(await screen.findByLabelText('Free to cancel until'), '12');
  await press('Preview changes');
  expect(await screen.findByText('Everyone must accept the new terms before their next booking.')).toBeTruthy();
  expect(screen.getByText(/keep their cancellation terms/)).toBeTruthy();
});

test('what was typed stays after the preview, a refusal is shown, and nothing is lost', async () => {
  wire.refuse('staff-set-settings', 'not_yours', { message: 'You may not do that.' });
  show();
  await fill(await screen.findByLabelText('Name'), 'Harbour');
  await press('Preview changes');
  await user.click(await screen.findByRole('button', { name: 'Save settings' }));
  expect(await screen.findByText('You may not do that.')).toBeTruthy();
  await press('Back');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Harbour');
});

test.each([
  [
    'details',
    async () => fill(await screen.findByLabelText('Name'), 'Harbour'),
    () => screen.findByDisplayValue('Harbour'),
    /Harbour/,
  ],
  [
    'texts of a page',
    async () => {
      await user.click(await screen.findByRole('button', { name: 'Terms' }));
      await fill(screen.getByLabelText('Title of section 1'), 'Harbour');
    },
    async () => {
      await user.click(await screen.findByRole('button', { name: 'Terms' }));
      return screen.getByDisplayValue('Harbour');
    },
    /sections/,
  ],
])('%s that were typed are there after another tab, until they are saved', async (_what, type, find, row) => {
  const { unmount } = show();
  await type();
  unmount();
  const second = show();
  expect(await find()).toBeTruthy();
  expect(screen.getByText(KEPT)).toBeTruthy();
  await press('Preview changes');
  expect(await screen.findByRole('row', { name: row })).toBeTruthy();
  await press('Save settings');
  await screen.findByRole('button', { name: 'History', current: true });
  second.unmount();
  show();
  await screen.findByLabelText('Name');
  expect([screen.queryByDisplayValue('Harbour'), screen.queryByText(KEPT)]).toEqual([null, null]);
});

test('typed settings are there after another part, say when the settings have changed since, and can be discarded', async () => {
  const { unmount } = show();
  await fill(await screen.findByLabelText('Name'), 'Harbour');
  await press('Terms');
  await press('Details');
  expect(await screen.findByDisplayValue('Harbour')).toBeTruthy();
  unmount();
  answer({ ...second, version: 3 }, first);
  show();
  expect(await screen.findByText(/^The settings were saved after you typed these changes/)).toBeTruthy();
  await press('Discard changes');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe(firstSettings.name);
  await press('Terms');
  await press('Details');
  expect(screen.queryByText(/changes/, { selector: 'p' })).toBeNull();
});

test('every invalid setting has its message at once', async () => {
  show();
  await fill(await screen.findByLabelText('Name'), 'H');
  await fill(screen.getByLabelText('ABN'), '123');
  await fill(screen.getByLabelText('Minutes to pay'), '90');
  await press('Preview changes');
  await waitFor(() =>
    expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toEqual([
      'This is needed.',
      'This is not an ABN.',
      'At most 30.',
    ]),
  );
  expect(changes()).toEqual([]);
});

test('a form without changes, and a value out of range, are not sent', async () => {
  show();
  await screen.findByLabelText('Name');
  await press('Preview changes');
  expect(await screen.findByText('No changes to preview.')).toBeTruthy();
  await fill(screen.getByLabelText('Minutes to pay'), '45');
  await press('Preview changes');
  expect((await screen.findByRole('alert')).textContent).toBe('At most 30.');
  expect(screen.queryByRole('table')).toBeNull();
});

test('parts of the terms are edited, moved, added and removed, and staff are told that everybody has to accept them', async () => {
  answer({
    ...first,
    settings: {
      ...firstSettings,
      terms: [
        { title: 'One', text: 'a' },
        { title: 'Two', text: 'b' },
      ],
    },
  });
  show();
  await screen.findByLabelText('Name');
  await press('Terms');
  await press('Down, section 1');
  await press('Add section');
  await press('Preview changes');
  expect(screen.getByText('Every part needs a title.')).toBeTruthy();
  await user.type(screen.getByLabelText('Title of section 3'), 'Three');
  await user.type(screen.getByLabelText('Text of section 3'), 'c');
  await press('Remove, section 1');
  await press('Preview changes');
  expect(screen.getByText('Everyone must accept the new terms before their next booking.')).toBeTruthy();
  await press('Save settings');
  const terms = [
    { title: 'One', text: 'a' },
    { title: 'Three', text: 'c' },
  ];
  await wire.expectSent('staff-set-settings', { terms });
});

test('the history says who changed what and when in Sydney, and brings old settings back after a preview', async () => {
  show();
  await screen.findByLabelText('Name');
  await press('History');
  const [, newest] = screen.getAllByRole('row');
  expect(newest?.textContent).toMatch(/Fri 20 Nov 2026, 11:30 am.*Kim Owner.*Site notice, Minutes to pay/);
  await user.click(screen.getByRole('button', { name: /^Restore/ }));
  await press('Save settings');
  await wire.expectSent('staff-set-settings', { notice: '', holdMinutes: 15 });
});

test('a photo beside the directions is uploaded, previewed with what it shows, and removed', async () => {
  const PHOTO = '0a1b2c3d-0000-4000-8000-000000000001.jpg';
  uploadPhoto.mockRejectedValueOnce(new Error('The photo is larger than 10 MB.'));
  uploadPhoto.mockResolvedValueOnce(PHOTO);
  show();
  const file = new File(['x'], 'door.jpg', { type: 'image/jpeg' });
  await user.upload(await screen.findByLabelText('Add directions photo'), file);
  expect(await screen.findByText('The photo is larger than 10 MB.')).toBeTruthy();
  await user.upload(screen.getByLabelText('Add directions photo'), file);
  expect((await screen.findByAltText<HTMLImageElement>('Directions to the room')).src).toContain(PHOTO);
  await fill(screen.getByLabelText('Photo description'), 'A green door');
  await press('Preview changes');
  expect((await screen.findByRole('table')).textContent).toMatch(/none.*the photo in the preview.*A green door/);
  await press('Save settings');
  const change = { directionsPhoto: PHOTO, directionsPhotoText: 'A green door' };
  await wire.expectSent('staff-set-settings', change);
});

test('a photo is removed with the next change', async () => {
  const PHOTO = '0a1b2c3d-0000-4000-8000-000000000001.jpg';
  answer({ ...first, settings: { ...firstSettings, directionsPhoto: PHOTO } });
  show();
  await user.click(await screen.findByRole('button', { name: 'Remove photo' }));
  await press('Preview changes');
  expect((await screen.findByRole('table')).textContent).toContain('a photonone');
  await press('Save settings');
  await wire.expectSent('staff-set-settings', { directionsPhoto: '' });
});

test('settings that could not be loaded offer another try', async () => {
  wire.fail('business_settings', 500);
  show();
  await screen.findByRole('button', { name: 'Try again' });
  answer(first);
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByLabelText('Name')).toBeTruthy();
});
