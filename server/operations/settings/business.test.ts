import { expect, test } from 'vitest';
import type { BusinessSettings } from '#rules/business/business.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { SiteRoom } from '#rules/business/rooms.ts';
import { followBusiness } from './business.ts';

type Content = { readonly settings: BusinessSettings; readonly rooms: readonly SiteRoom[] };
const contentWith = (notice: string, room: string): Content => ({
  settings: { ...firstSettings, notice, holdMinutes: 20 },
  // Cast: the reader returns rooms unchanged.
  rooms: [{ name: room } as SiteRoom],
});

/** A database with the settings. The test announces changes of them. */
function createDatabase(first: Content | null) {
  const state = { content: first as Content | Error | null, listening: true, announce: (): void => undefined };
  const db: Parameters<typeof followBusiness>[0] = {
    async queryRow<Row>() {
      if (state.content instanceof Error) throw state.content;
      // Cast: the only statement reads the content.
      return state.content as Row | null;
    },
    async listen(_channel, heard) {
      state.announce = () => heard('');
      return async () => void (state.listening = false);
    },
  };
  return { state, db };
}

test('settings and rooms follow their changes, and the last ones count while they cannot be read', async () => {
  const { state, db } = createDatabase(contentWith('Hello', 'Studio A'));
  const warned: string[] = [];
  const reader = await followBusiness(db, (line) => warned.push(line), { holdMinutes: null });
  const shown = () => [reader.now().notice, reader.now().holdMinutes, ...reader.rooms().map(({ name }) => name)];
  expect(shown()).toEqual(['Hello', 20, 'Studio A']);
  const notified: unknown[] = [];
  reader.onChange(() => notified.push(shown()));
  state.content = contentWith('Closed', 'Studio B');
  state.announce();
  await expect.poll(() => notified).toEqual([['Closed', 20, 'Studio B']]);
  state.content = new Error('no connection');
  state.announce();
  await expect
    .poll(() => warned)
    .toEqual(['the settings of the business could not be read; the previous ones stay in use']);
  expect(shown()).toEqual(['Closed', 20, 'Studio B']);
  expect(notified).toHaveLength(1);
  await reader.close();
  expect(state.listening).toBe(false);
});

test('the hold time of the operator counts instead of that of staff', async () => {
  const { db } = createDatabase(contentWith('Hello', 'Studio A'));
  const reader = await followBusiness(db, () => undefined, { holdMinutes: 5 });
  expect(reader.now().holdMinutes).toBe(5);
});

test('a database without settings is an error', async () => {
  const { db } = createDatabase(null);
  await expect(followBusiness(db, () => undefined, { holdMinutes: null })).rejects.toThrow(
    'business_settings returned no row',
  );
});
