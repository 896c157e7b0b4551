import { screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { birthDateEntry, noDate } from '#web/lib/birth-date.ts';
import { DateEntry } from '#web/ui/date-entry.tsx';

const TODAY = '2026-11-21';

function Entry({ refused = null }: { refused?: string | null }) {
  const [value, setValue] = useState(noDate);
  const { echo, problem, ...look } = birthDateEntry(TODAY);
  return (
    <DateEntry
      {...look}
      echo={echo(value)}
      error={problem(value)}
      refused={refused}
      value={value}
      onChange={setValue}
    />
  );
}
const day = () => screen.getByLabelText<HTMLInputElement>('Day');
const month = () => screen.getByLabelText<HTMLSelectElement>('Month');
const year = () => screen.getByLabelText<HTMLInputElement>('Year');
/** The text that describes the inputs. */
const note = () =>
  (day().getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' | ');

async function enter(parts: { day: string; month: string; year: string }): Promise<void> {
  await fill(day(), parts.day);
  await user.selectOptions(month(), parts.month);
  await fill(year(), parts.year);
}

test('a date is said back in words once it is complete', async () => {
  renderPart(<Entry />);
  expect(note()).toBe('You must be 18 or older');
  await enter({ day: '3', month: 'April', year: '1998' });
  expect(note()).toBe('3 April 1998');
  expect(day().getAttribute('aria-invalid')).toBeNull();
});

test('a date that does not exist and a date of birth under 18 are marked at once', async () => {
  renderPart(<Entry />);
  await enter({ day: '31', month: 'April', year: '1998' });
  expect(note()).toBe('That date doesn’t exist');
  await enter({ day: '22', month: 'November', year: '2008' });
  expect(note()).toBe('22 November 2008. You must be 18 or older');
  expect([day(), month(), year()].map((field) => field.getAttribute('aria-invalid'))).toEqual(['true', 'true', 'true']);
  await enter({ day: '21', month: 'November', year: '2008' });
  expect(note()).toBe('21 November 2008');
});

test('a future date can be neither typed nor chosen, and the last input says why', async () => {
  renderPart(<Entry />);
  await fill(year(), '2026');
  const closed = [...month().options].filter((option) => option.disabled).map((option) => option.textContent);
  expect(closed).toEqual(['December']);
  await user.selectOptions(month(), 'November');
  await fill(day(), '22');
  expect(day().value).toBe('');
  expect(note()).toBe('A date of birth cannot be in the future');
  await fill(day(), '21');
  expect(day().value).toBe('21');
  await fill(year(), '2027');
  expect(year().value).toBe('');
});

test('only digits are taken', async () => {
  renderPart(<Entry />);
  await fill(day(), '1a');
  await fill(year(), '19x8');
  expect([day().value, year().value]).toEqual(['1', '198']);
});

test('a refusal of the form is read with the inputs', () => {
  renderPart(<Entry refused="Please enter your date of birth." />);
  expect(screen.getByRole('alert').textContent).toBe('Please enter your date of birth.');
  expect(note()).toBe('You must be 18 or older | Please enter your date of birth.');
  expect(day().getAttribute('aria-invalid')).toBe('true');
});
