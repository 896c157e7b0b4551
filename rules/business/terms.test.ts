import { describe, expect, it } from 'vitest';
import { fillText, nameLines } from './business.ts';
import { firstBusiness } from './first-settings.ts';
import { termsDate } from './terms-date.ts';
import { firstTerms } from './terms.ts';
import { venue } from '../venue.ts';

const text = firstTerms.map((section) => fillText(section.text, firstBusiness)).join('\n');

describe('the first terms', () => {
  it('state what the specification lists [spec 9.24]', () => {
    expect(text).toContain('Payment is made in full when you book');
    expect(text).toContain('up to 24 hours before your session starts');
    expect(text).toContain(`write to ${venue.email}`);
    expect(text).toContain('Up to 5 people');
    expect(text).toContain('24/7 by smart lock');
    expect(text).toContain('before your first session');
    expect(text).toContain('New South Wales');
    expect(text).not.toMatch(/[{}]/);
  });
});

it.each([
  ['2025-10', 'October 2025'],
  ['2026-11-23', 'Monday 23 November 2026'],
  ['2026-11-23.2', 'Monday 23 November 2026'],
])('the version %s of the terms is of %s', (version, date) => {
  expect(termsDate(version)).toBe(date);
});

it.each([
  [venue.name, [...venue.nameLines]],
  ['Harbour', ['Harbour', '']],
  ['The Vinyl Room Sydney', ['The', 'Vinyl Room Sydney']],
])('the name %s has these lines in the logo', (name, lines) => {
  expect(nameLines(name)).toEqual(lines);
});
