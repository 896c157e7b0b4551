import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import * as texts from '#web/data/texts.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { TermsStep } from './terms-step.tsx';

vi.mock(import('#web/data/texts.ts'), async (original) => ({ ...(await original()), useTexts: vi.fn() }));
const show = (termsVersion: string, text: string): void => {
  const data = { ...firstSettings, termsVersion, terms: [{ title: 'One', text }] };
  // The dialog uses nothing else of the query.
  vi.mocked(texts.useTexts).mockReturnValue({ data, isError: false } as never);
};
const onAccept = vi.fn();
beforeEach(() => onAccept.mockReset());
const step = (asked: number, accepted = false) => (
  <TermsStep asked={asked} accepted={accepted} loading={false} onAccept={onAccept} />
);
const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /I have read/ });

test('the version that is shown is accepted, and taken back with the tick', async () => {
  show('2026-11-01', 'The first text.');
  const { rerender } = renderPart(step(0));
  await user.click(screen.getByRole('button', { name: 'Read the terms' }));
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith('2026-11-01');
  rerender(step(0, true));
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith(null);
});

test('after a refusal the new text opens by itself', async () => {
  show('2026-11-02', 'The second text.');
  renderPart(step(1));
  expect(screen.getByText('The second text.')).toBeTruthy();
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith('2026-11-02');
});

test('a text that replaces the one on the screen has to be read again', async () => {
  show('2026-11-01', 'The first text.');
  const { rerender } = renderPart(step(1));
  expect(box().disabled).toBe(false);
  // From now on there is something to scroll to.
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(1000);
  show('2026-11-02', 'The second text.');
  rerender(step(1, false));
  expect([box().disabled, screen.queryByText('The first text.')]).toEqual([true, null]);
  vi.restoreAllMocks();
});
