import { describe, expect, it } from 'vitest';
import { terms } from './terms.ts';
import { settings, venue } from './venue.ts';

const text = terms.sections.map((section) => section.text).join('\n');

describe('the terms', () => {
  it('state what the specification lists, in the version that customers accept', () => {
    expect([terms.version, terms.lastUpdated]).toEqual([settings.termsVersion, 'October 2025']);
    expect(text).toContain('Payment is made in full when you book');
    expect(text).toContain('up to 24 hours before your session starts');
    expect(text).toContain(`write to ${venue.email}`);
    expect(text).toContain('Up to 5 people');
    expect(text).toContain('24/7 by smart lock');
    expect(text).toContain('before your first session');
    expect(text).toContain('New South Wales');
  });
});
