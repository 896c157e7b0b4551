import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { lastMonth } from './export-form.ts';
import { Exports } from './exports.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
const saved: { name: string; blob: Blob | undefined }[] = [];
let newest: Blob | undefined;
beforeEach(() => {
  vi.resetAllMocks();
  saved.length = 0;
  URL.createObjectURL = vi.fn((blob: Blob) => {
    newest = blob;
    return 'blob:csv';
  });
  URL.revokeObjectURL = vi.fn();
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    saved.push({ name: this.download, blob: newest });
  });
});

async function choose(kind: string, from: string, to: string): Promise<void> {
  renderPart(<Exports />);
  await user.selectOptions(screen.getByLabelText('What'), kind);
  await fill(screen.getByLabelText('First day'), from);
  await fill(screen.getByLabelText('Last day'), to);
  await user.click(screen.getByRole('button', { name: 'Download' }));
}

test('the chosen file of the chosen days is saved under its kind and days', async () => {
  wire.answerFile('staff-export', 'a,b\r\n', 'text/csv; charset=utf-8');
  await choose('xero', '2031-03-01', '2031-03-31');
  await waitFor(() => expect(saved.map(({ name }) => name)).toEqual(['xero-2031-03-01-2031-03-31.csv']));
  expect(wire.sent('staff-export')).toEqual([{ kind: 'xero', from: '2031-03-01', to: '2031-03-31' }]);
  expect(await saved[0]?.blob?.text()).toBe('a,b\r\n');
  expect(toast).toHaveBeenCalledWith({ title: 'File downloaded', description: 'xero-2031-03-01-2031-03-31.csv' });
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
  expect(saved).toEqual([]);
});

test.each([
  ['2031-03-15', '2031-02-01', '2031-02-28'],
  ['2032-01-01', '2031-12-01', '2031-12-31'],
])('the month before %s is %s to %s', (today, from, to) => {
  expect(lastMonth(today)).toEqual({ from, to });
});
