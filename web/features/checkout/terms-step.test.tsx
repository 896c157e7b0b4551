import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { TermsStep } from './terms-step.tsx';

/** From now on, the business has these terms. */
const setTerms = (termsVersion: string, text: string): void =>
  wire.answerRows('site_texts', { ...firstSettings, termsVersion, terms: [{ title: 'One', text }] });
const onAccept = vi.fn();
beforeEach(() => onAccept.mockReset());
const step = (requests: number, accepted = false) => (
  <TermsStep requests={requests} accepted={accepted} loading={false} onAccept={onAccept} />
);
const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /I have read/ });

test('the version that is shown is accepted, and taken back with the tick [spec 2.65]', async () => {
  setTerms('2026-11-01', 'The first text.');
  const { rerender } = renderPart(step(0));
  await user.click(screen.getByRole('button', { name: 'Read the terms' }));
  expect(await screen.findByText('The first text.')).toBeTruthy();
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith('2026-11-01');
  rerender(step(0, true));
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith(null);
});

test('after a refusal the new text opens by itself', async () => {
  setTerms('2026-11-02', 'The second text.');
  renderPart(step(1));
  expect(await screen.findByText('The second text.')).toBeTruthy();
  await user.click(box());
  expect(onAccept).toHaveBeenLastCalledWith('2026-11-02');
});

test('a text that replaces the one on the screen has to be read again', async () => {
  setTerms('2026-11-01', 'The first text.');
  const { client } = renderPart(step(1));
  expect(await screen.findByText('The first text.')).toBeTruthy();
  // A text that needs no scrolling counts as read once its height is measured.
  await waitFor(() => expect(box().disabled).toBe(false));
  // From now on, the text needs scrolling.
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(1000);
  setTerms('2026-11-02', 'The second text.');
  void client.invalidateQueries({ queryKey: queryKeys.texts.all });
  expect(await screen.findByText('The second text.')).toBeTruthy();
  await waitFor(() => expect([box().disabled, screen.queryByText('The first text.')]).toEqual([true, null]));
  vi.restoreAllMocks();
});
