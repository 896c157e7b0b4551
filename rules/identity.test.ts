import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adultFrom,
  cancelledAt,
  judgeLicence,
  type LicenceReading,
  matchNames,
  parsePrintedDate,
  validateIdFile,
  verificationExpiry,
} from './identity.ts';
import { isAdult } from './people.ts';
import { addDays } from './studio-time.ts';

const reading: LicenceReading = {
  documentKind: 'driver_licence',
  issuingState: 'NSW',
  medium: 'physical',
  givenNames: 'Alex Jordan',
  familyName: 'CITIZEN',
  dateOfBirth: { iso: '1998-04-03', printed: '03 APR 1998' },
  expiry: { iso: '2029-04-03', printed: '03 APR 2029' },
  isLegible: true,
  issues: [],
  confidence: 95,
};
const judge = (change: Partial<LicenceReading> = {}, profile: { fullName?: string; dateOfBirth?: string } = {}) =>
  judgeLicence({
    reading: { ...reading, ...change },
    profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03', ...profile },
    today: '2026-11-21',
  });

describe('names', () => {
  it.each([
    ['Alex Jordan', 'CITIZEN', 'alex citizen', 'match'],
    ['Zoë', "O'BRIEN", 'Zoe OBrien', 'match'],
    ['Anne-Marie', 'SMITH-JONES', 'Anne Marie Smith Jones', 'match'],
    [null, 'MADONNA', 'Madonna', 'match'],
    ['Minh', 'NGUYEN VAN', 'Nguyen Van Minh', 'match'],
    ['Alex', 'CITIZEN', 'Sam Citizen', 'partial'],
    ['Alex', 'CITIZEN', 'Alex Other', 'partial'],
    ['Alex', 'CITIZEN', 'Robin Other', 'mismatch'],
    [null, null, 'Alex Citizen', 'mismatch'],
  ])('%s %s against %s is a %s', (given, family, account, status) => {
    expect(matchNames({ given, family }, account).status).toBe(status);
  });
});

/** Ten clearly different names, so that two never match by chance. */
const NAMES = ['Alex', 'Jordan', 'Minh', 'Priya', 'Zoë', 'Tomas', 'Ngaire', 'Kwame', 'Søren', 'Ludmila'];
const names = (least: number, most: number) =>
  fc.shuffledSubarray(NAMES, { minLength: least, maxLength: most }).filter((list) => list.length >= least);

describe('random names', () => {
  it('match in any order, case, accents and separators', () => {
    const how = fc.constantFrom(
      (name: string) => name.toUpperCase(),
      (name: string) => name.toLowerCase(),
      (name: string) => name.normalize('NFD'),
      (name: string) => name.replace('ë', 'e').replace('ø', 'o'),
    );
    fc.assert(
      fc.property(names(2, 4), how, fc.constantFrom(' ', '-', '  '), fc.boolean(), (list, write, between, turned) => {
        const licence = { given: list.slice(0, -1).map(write).join(' '), family: write(list.at(-1)!) };
        const account = (turned ? list.toReversed() : list).join(between);
        expect(matchNames(licence, account).status).toBe('match');
      }),
    );
  });

  it('may leave out only middle names', () => {
    fc.assert(
      fc.property(names(3, 5), (list) => {
        const [first = '', ...others] = list;
        const family = others.at(-1) ?? '';
        const licence = { given: [first, ...others.slice(0, -1)].join(' '), family };
        expect(matchNames(licence, `${first} ${family}`).status).toBe('match');
        expect(matchNames(licence, first).status).toBe('partial');
        expect(matchNames(licence, family).status).toBe('partial');
        expect(matchNames(licence, `${others[0]} ${first}`).status).not.toBe('match');
      }),
    );
  });

  it('never match when the account has a name that the licence lacks', () => {
    fc.assert(
      fc.property(names(3, 5), fc.nat(), (list, index) => {
        const [otherUser = '', ...own] = list;
        const account = [...own];
        account[index % own.length] = otherUser;
        const licence = { given: own.slice(0, -1).join(' '), family: own.at(-1)! };
        expect(matchNames(licence, account.join(' ')).status).not.toBe('match');
        expect(matchNames(licence, [...own, otherUser].join(' ')).status).not.toBe('match');
      }),
    );
  });

  it('are different when no word is shared [spec 5.33]', () => {
    fc.assert(
      fc.property(names(4, 6), (list) => {
        const licence = { given: list[0]!, family: list[1]! };
        expect(matchNames(licence, list.slice(2).join(' ')).status).toBe('mismatch');
      }),
    );
  });
});

describe('a licence', () => {
  it('that matches the profile is verified', () => {
    expect(judge()).toMatchObject({
      decision: 'verified',
      reasons: [],
      isOver18: true,
      age: 28,
      isNsw: true,
      dobMatches: true,
    });
    expect(judge({ issuingState: 'VIC' })).toMatchObject({ decision: 'verified', isNsw: false });
  });
  it('of somebody under age, or that has expired, fails when it was read with certainty', () => {
    const young = { iso: '2010-04-03', printed: '03 APR 2010' };
    expect(judge({ dateOfBirth: young })).toMatchObject({
      decision: 'failed',
      isFinal: true,
      reasons: ['You must be 18 years or older.'],
    });
    expect(judge({ expiry: { iso: '2026-11-20', printed: null } })).toMatchObject({
      decision: 'failed',
      isFinal: false,
      reasons: ['Your ID has expired.'],
    });
    expect(judge({ dateOfBirth: young, confidence: 40 })).toMatchObject({ decision: 'review', isFinal: false });
  });
  it('of somebody under age is accepted from their 18th birthday', () => {
    expect(adultFrom('2010-04-03')).toBe('2028-04-03');
    expect(adultFrom('2008-02-29')).toBe('2026-03-01');
    for (const born of ['2008-02-29', '2008-12-31', '2009-01-01', '2010-03-01']) {
      expect(isAdult(born, adultFrom(born))).toBe(true);
      expect(isAdult(born, addDays(adultFrom(born), -1))).toBe(false);
    }
  });
  it('in doubt goes to review', () => {
    expect(judge({ confidence: 60 }).decision).toBe('review');
    expect(judge({ medium: 'screen' }).decision).toBe('review');
    expect(judge({}, { fullName: 'Robin Other' }).decision).toBe('review');
    expect(judge({}, { dateOfBirth: '1998-03-04' })).toMatchObject({ decision: 'review', dobMatches: false });
    expect(judge({ dateOfBirth: { iso: '1998-04-03', printed: '04 MAR 1998' } }).decision).toBe('review');
  });
  it('from another country, or without a readable state or expiry, goes to review', () => {
    const elsewhere = ['We couldn’t tell if this is an Australian licence.'];
    expect(judge({ issuingState: 'CA' })).toMatchObject({ decision: 'review', reasons: elsewhere });
    expect(judge({ issuingState: null })).toMatchObject({ decision: 'review', reasons: elsewhere });
    for (const state of ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'ACT', 'NT'])
      expect([state, judge({ issuingState: state }).decision]).toEqual([state, 'verified']);
    const unread = ['We couldn’t read the expiry date.'];
    for (const expiry of [
      { iso: null, printed: null },
      { iso: null, printed: 'smudge' },
      { iso: '2029-04-03', printed: '03 APR 2028' },
      { iso: '2029-02-31', printed: null },
    ])
      expect(judge({ expiry })).toMatchObject({ decision: 'review', reasons: unread });
  });
  it('from a hosted check may lack state and expiry', () => {
    const hosted = (change: Partial<LicenceReading>) =>
      judgeLicence({
        reading: { ...reading, ...change },
        profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03' },
        today: '2026-11-21',
        source: 'hosted',
      });
    expect(hosted({ issuingState: null, expiry: { iso: null, printed: null } }).decision).toBe('verified');
    expect(hosted({ expiry: { iso: '2029-02-31', printed: null } }).decision).toBe('review');
    expect(hosted({ issuingState: 'CA' }).decision).toBe('review');
    expect(hosted({ expiry: { iso: '2026-11-20', printed: null } }).decision).toBe('failed');
  });
  it('must be good on the day of the session', () => {
    const on = (sessionDate: string) =>
      judgeLicence({
        reading,
        profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03' },
        today: '2026-11-21',
        sessionDate,
      });
    expect(on('2029-04-03').decision).toBe('verified');
    expect(on('2029-04-04')).toMatchObject({
      decision: 'failed',
      isExpired: false,
      reasons: ['Your ID expires before your session.'],
    });
  });
  it('is valid on its last day, and its holder is of age on the 18th birthday', () => {
    expect(judge({ expiry: { iso: '2026-11-21', printed: '21 NOV 2026' } })).toMatchObject({ isExpired: false });
    const birthday = { iso: '2008-11-21', printed: '21 NOV 2008' };
    expect(judge({ dateOfBirth: birthday }, { dateOfBirth: '2008-11-21' }).decision).toBe('verified');
    const dayAfter = { iso: '2008-11-22', printed: '22 NOV 2008' };
    expect(judge({ dateOfBirth: dayAfter }, { dateOfBirth: '2008-11-22' }).decision).toBe('failed');
  });
  it('read with any doubt is never verified', () => {
    const doubt = fc.constantFrom<Partial<LicenceReading>>(
      { confidence: 74 },
      { confidence: Number.NaN },
      { isLegible: false },
      { medium: 'screenshot' },
      { medium: 'photocopy' },
      { medium: 'unclear' },
      { documentKind: 'unclear' },
      { documentKind: 'other' },
      { givenNames: 'Robin' },
      { familyName: null },
      { dateOfBirth: { iso: null, printed: null } },
      { dateOfBirth: { iso: '1998-04-04', printed: '04 APR 1998' } },
      { expiry: { iso: null, printed: null } },
      { issuingState: null },
    );
    fc.assert(
      fc.property(fc.array(doubt, { minLength: 1, maxLength: 4 }), (doubts) => {
        const judgement = judge(Object.assign({}, ...doubts) as Partial<LicenceReading>);
        expect(judgement.decision).not.toBe('verified');
        expect(judgement.reasons.length).toBeGreaterThan(0);
      }),
    );
  });
  it('that cannot be read fails without being final', () => {
    expect(judge({ givenNames: null, familyName: null, dateOfBirth: { iso: null, printed: null } }).decision).toBe(
      'failed',
    );
    expect(judge({ documentKind: 'other' }).decision).toBe('failed');
  });
  it('gives a verification until it expires, at most for 24 months', () => {
    expect(verificationExpiry('2027-01-31', '2026-11-21').toISOString()).toBe('2027-01-31T13:00:00.000Z');
    expect(verificationExpiry('2031-01-31', '2026-11-21').toISOString()).toBe('2028-11-21T13:00:00.000Z');
    expect(verificationExpiry(null, '2026-11-21').toISOString()).toBe('2028-11-21T13:00:00.000Z');
    expect(verificationExpiry(null, '2026-08-31').toISOString()).toBe('2028-08-31T14:00:00.000Z');
    expect(verificationExpiry(null, '2028-02-29').toISOString()).toBe('2030-02-28T13:00:00.000Z');
    expect(verificationExpiry('2026-11-20', '2026-11-21') <= new Date('2026-11-20T13:00:00Z')).toBe(true);
  });
  it('has its printed dates read day first', () => {
    expect(parsePrintedDate('DOB 03 APR 1998')).toBe('1998-04-03');
    expect(parsePrintedDate('03/04/1998')).toBe('1998-04-03');
    expect(parsePrintedDate('31 FEB 1998')).toBeNull();
  });
  it('must be a picture under 10 MB [spec 5.32, 9.14]', () => {
    expect(validateIdFile({ type: 'application/pdf', size: 10 })).toBe('Please upload an image file.');
    expect(validateIdFile({ type: 'image/jpeg', size: 10 * 1024 * 1024 })).toBe(
      'Please upload an image smaller than 10MB.',
    );
    expect(validateIdFile({ type: '', size: 10 })).toBe('Please upload an image file.');
    expect(validateIdFile({ type: 'image/jpeg', size: 10 * 1024 * 1024 - 1 })).toBeNull();
  });
});

describe('edge cases of a licence check', () => {
  it('goes to review when only part of a family name of several words matches', () => {
    expect(matchNames({ given: 'Minh', family: 'NGUYEN VAN' }, 'Minh Nguyen').status).toBe('partial');
    expect(matchNames({ given: 'Minh', family: 'NGUYEN VAN' }, 'Robin Nguyen').status).toBe('mismatch');
  });
  it('matches a family name of two words that the account writes as one', () => {
    expect(matchNames({ given: 'Alex Jordan', family: 'VAN DYK' }, 'Alex Vandyk').status).toBe('match');
    expect(matchNames({ given: 'Alex Jordan', family: 'VAN DYK' }, 'Robin Vandyk').status).toBe('partial');
  });
  it('matches a licence that prints the names without a space', () => {
    expect(matchNames({ given: 'Alex', family: 'CITIZEN' }, 'AlexCitizen')).toEqual({
      status: 'match',
      details: 'The names are the same.',
    });
  });
  it('does not match an account that has a name the licence does not', () => {
    expect(matchNames({ given: 'Alex', family: 'CITIZEN' }, 'Alex Robin Citizen').status).toBe('partial');
  });
  it('requires the first given name to match', () => {
    expect(matchNames({ given: 'Alex Jordan', family: 'CITIZEN' }, 'Jordan Citizen').status).toBe('partial');
    expect(matchNames({ given: 'Alex Jordan', family: 'CITIZEN' }, 'Robin Other').status).toBe('mismatch');
    expect(matchNames({ given: 'Alex', family: 'CITIZEN' }, 'Alex Other').details).toBe(
      'Part of the name is the same.',
    );
  });
  it('ignores spaces and punctuation around a name', () => {
    expect(matchNames({ given: 'Alex Jordan', family: 'CITIZEN' }, ' - Alex Citizen. ').status).toBe('match');
    expect(matchNames({ given: ' Alex', family: 'CITIZEN ' }, 'Robin Citizen').status).toBe('partial');
    expect(matchNames({ given: ' ', family: '-' }, 'Alex').details).toBe('We couldn’t read a name.');
    expect(matchNames({ given: 'Alex', family: 'CITIZEN' }, ' ').details).toBe('We couldn’t read a name.');
  });
  it('explains a match and a difference in a sentence', () => {
    expect(matchNames({ given: 'Alex', family: 'CITIZEN' }, 'Robin Other').details).toBe('The names are different.');
    expect(matchNames({ given: null, family: null }, 'Alex').details).toBe('We couldn’t read a name.');
    expect(matchNames({ given: 'Alex Jordan', family: 'CITIZEN' }, 'Alex Citizen').details).toBe(
      'The names are the same except for middle names.',
    );
  });
  it('recognises months by their first three letters', () => {
    const months = ['JAN', 'FEB', 'March', 'apr', 'MAY', 'June', 'JUL', 'AUG', 'SEPT', 'OCT', 'NOV', 'December'];
    expect(months.map((month) => parsePrintedDate(`7 ${month} 1998`))).toEqual(
      months.map((_, index) => `1998-${String(index + 1).padStart(2, '0')}-07`),
    );
  });
  it('reads a printed date without separators and one with dots', () => {
    expect(parsePrintedDate('03APR1998')).toBe('1998-04-03');
    expect(parsePrintedDate('3.4.1998')).toBe('1998-04-03');
    expect(parsePrintedDate('3 XYZ 1998')).toBeNull();
  });
  it('marks only licences issued in NSW as NSW', () => {
    expect(judge({ issuingState: 'VIC' }).isNsw).toBe(false);
    expect(judge().isNsw).toBe(true);
  });
  it('expires on the day after its last day', () => {
    const on = (iso: string) => judge({ expiry: { iso, printed: null } });
    expect(on('2026-11-21').isExpired).toBe(false);
    expect(on('2026-11-20').isExpired).toBe(true);
    expect(on('2026-11-20').reasons).toEqual(['Your ID has expired.']);
  });
  it('must be good on the day of the session', () => {
    const on = (sessionDate: string) =>
      judgeLicence({
        reading: { ...reading, expiry: { iso: '2026-12-01', printed: null } },
        profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03' },
        today: '2026-11-21',
        sessionDate,
      });
    expect(on('2026-12-01').decision).toBe('verified');
    expect(on('2026-12-02').reasons).toEqual(['Your ID expires before your session.']);
  });
  it('fails when nothing was read, and goes to review when only a name or a date was', () => {
    const nothing = { dateOfBirth: { iso: null, printed: null }, givenNames: null, familyName: null };
    expect(judge(nothing).decision).toBe('failed');
    expect(judge({ ...nothing, givenNames: 'Alex' }).decision).toBe('review');
    expect(judge({ ...nothing, familyName: 'CITIZEN' }).decision).toBe('review');
    expect(judge({ ...nothing, dateOfBirth: reading.dateOfBirth }).decision).toBe('review');
    expect(judge(nothing).reasons).toEqual([
      'We couldn’t read your ID. Please take a sharp, well-lit photo of the front.',
    ]);
    expect(judge({ documentKind: 'other' }).reasons).toEqual(['This does not look like an Australian driver licence.']);
  });
  it('is certain from a confidence of 75', () => {
    expect(judge({ confidence: 75 }).decision).toBe('verified');
    expect(judge({ confidence: 74.9 }).reasons).toEqual(['We couldn’t read your ID clearly.']);
    expect(judge({ isLegible: false }).reasons).toEqual(['We couldn’t read your ID clearly.']);
  });
  it('sends a picture of a screen and an unclear document to review', () => {
    const doubt = ['We couldn’t tell if this is a photo of a physical licence.'];
    expect(judge({ documentKind: 'unclear' }).reasons).toEqual(doubt);
    expect(judge({ medium: 'screen' } as Partial<LicenceReading>).reasons).toEqual(doubt);
  });
  it('may lack issuer and expiry only in a hosted check that reported neither', () => {
    const hosted = (change: Partial<LicenceReading>) =>
      judgeLicence({
        reading: { ...reading, ...change },
        profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03' },
        today: '2026-11-21',
        source: 'hosted',
      });
    const none = { iso: null, printed: null };
    expect(hosted({ expiry: none, issuingState: null }).decision).toBe('verified');
    expect(hosted({ expiry: { iso: '2029-04-03', printed: '04 APR 2029' } }).reasons).toEqual([
      'We couldn’t read the expiry date.',
    ]);
    expect(hosted({ expiry: { iso: null, printed: 'soon' } }).decision).toBe('review');
    expect(hosted({ issuingState: 'CA' } as Partial<LicenceReading>).decision).toBe('review');
    expect(judge({ expiry: none }).reasons).toEqual(['We couldn’t read the expiry date.']);
    expect(judge({ issuingState: null }).reasons).toEqual(['We couldn’t tell if this is an Australian licence.']);
  });
  it('lasts until the end of its last day or 24 months, whichever is earlier', () => {
    expect(verificationExpiry('2028-11-20', '2026-11-21').toISOString()).toBe('2028-11-20T13:00:00.000Z');
    expect(verificationExpiry('2028-11-22', '2026-11-21').toISOString()).toBe('2028-11-21T13:00:00.000Z');
    expect(verificationExpiry('2026-11-21', '2026-11-21').toISOString()).toBe('2026-11-21T13:00:00.000Z');
  });
  it('ends before the day of the check when the licence had already expired', () => {
    for (const over of ['2026-11-20', '2020-01-01'])
      expect(verificationExpiry(over, '2026-11-21').toISOString()).toBe('2026-11-20T13:00:00.000Z');
  });
});

const SESSION = new Date('2031-03-12T09:00:00Z');
const minutesBefore = (minutes: number): Date => new Date(SESSION.getTime() - minutes * 60_000);

it.each([
  [120, 65],
  [95, 65],
  [94, 64],
  [31, 1],
])('a booking raised %i minutes before its start is cancelled %i minutes before it', (raised, cancelled) => {
  expect(cancelledAt(SESSION, minutesBefore(raised))).toEqual(minutesBefore(cancelled));
});

it.each([30, 10, 0, -5])('a booking raised %i minutes before its start is never cancelled', (raised) => {
  expect(cancelledAt(SESSION, minutesBefore(raised))).toBeNull();
});
