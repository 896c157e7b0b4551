import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { watchSavedFiles } from '#web/ui/testing/saved-files.ts';
import { toast } from '#web/ui/toast.tsx';
import { lastMonth } from './export-form.ts';
import { Exports } from './exports.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
let savedFiles: ReturnType<typeof watchSavedFiles>;
beforeEach(() => {
  vi.resetAllMocks();
  savedFiles = watchSavedFiles();
});

async function choose(kind: string, from: string, to: string): Promise<void> {
  renderPart(<Exports />);
  await user.selectOptions(screen.getByLabelText('Data'), kind);
  await fill(screen.getByLabelText('First day'), from);
  await fill(screen.getByLabelText('Last day'), to);
  await user.click(screen.getByRole('button', { name: 'Download file' }));
}

test('the chosen file of the chosen days is saved under its kind and days', async () => {
  wire.answerFile('staff-export', 'a,b\r\n', 'text/csv; charset=utf-8');
  await choose('xero', '2031-03-01', '2031-03-31');
  const file = { name: 'xero-2031-03-01-2031-03-31.csv', type: 'text/csv', text: 'a,b\r\n' };
  await expect.poll(savedFiles).toEqual([file]);
  expect(wire.sent('staff-export')).toEqual([{ kind: 'xero', from: '2031-03-01', to: '2031-03-31' }]);
  expect(toast).toHaveBeenCalledWith({ title: 'File downloaded', description: file.name });
});

test('a last day before the first is refused at its field', async () => {
  await choose('payments', '2031-03-02', '2031-03-01');
  expect(await screen.findByText('The last day must not be before the first.')).toBeTruthy();
  expect(wire.sent('staff-export')).toEqual([]);
});

test('a refused export says why, and nothing is saved', async () => {
  wire.refuse('staff-export', 'not_yours', { message: 'You need the permission for money.' });
  await choose('payments', '2031-03-01', '2031-03-01');
  expect(await screen.findByText('You need the permission for money.')).toBeTruthy();
  expect(await savedFiles()).toEqual([]);
});

test.each([
  ['2031-03-15', '2031-02-01', '2031-02-28'],
  ['2032-01-01', '2031-12-01', '2031-12-31'],
])('the month before %s is %s to %s', (today, from, to) => {
  expect(lastMonth(today)).toEqual({ from, to });
});
