import { describe, expect, it } from 'vitest';
import {
  judgeLicence,
  type LicenceReading,
  matchNames,
  parsePrintedDate,
  validateIdFile,
  verificationExpiry,
} from './identity.ts';

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

describe('a licence', () => {
  it('that fits is verified', () => {
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
  it('of somebody under age, or that is over, is refused when it was read for certain', () => {
    const young = { iso: '2010-04-03', printed: '03 APR 2010' };
    expect(judge({ dateOfBirth: young })).toMatchObject({
      decision: 'failed',
      reasons: ['You must be 18 years or older.'],
    });
    expect(judge({ expiry: { iso: '2026-11-20', printed: null } })).toMatchObject({
      decision: 'failed',
      reasons: ['Your ID has expired.'],
    });
    expect(judge({ dateOfBirth: young, confidence: 40 }).decision).toBe('review');
  });
  it('in doubt goes to a person', () => {
    expect(judge({ confidence: 60 }).decision).toBe('review');
    expect(judge({ medium: 'screen' }).decision).toBe('review');
    expect(judge({}, { fullName: 'Robin Other' }).decision).toBe('review');
    expect(judge({}, { dateOfBirth: '1998-03-04' })).toMatchObject({ decision: 'review', dobMatches: false });
    expect(judge({ dateOfBirth: { iso: '1998-04-03', printed: '04 MAR 1998' } }).decision).toBe('review');
  });
  it('that cannot be read is tried again', () => {
    expect(judge({ givenNames: null, familyName: null, dateOfBirth: { iso: null, printed: null } }).decision).toBe(
      'failed',
    );
    expect(judge({ documentKind: 'other' }).decision).toBe('failed');
  });
  it('is good until it ends, at most for 24 months', () => {
    expect(verificationExpiry('2027-01-31', '2026-11-21').toISOString()).toBe('2027-01-31T13:00:00.000Z');
    expect(verificationExpiry('2031-01-31', '2026-11-21').toISOString()).toBe('2028-11-21T13:00:00.000Z');
    expect(verificationExpiry(null, '2026-11-21').toISOString()).toBe('2028-11-21T13:00:00.000Z');
  });
  it('prints its dates day first', () => {
    expect(parsePrintedDate('DOB 03 APR 1998')).toBe('1998-04-03');
    expect(parsePrintedDate('03/04/1998')).toBe('1998-04-03');
    expect(parsePrintedDate('31 FEB 1998')).toBeNull();
  });
  it('comes as a picture under 10 MB', () => {
    expect(validateIdFile({ type: 'application/pdf', size: 10 })).toBe('Please upload an image file.');
    expect(validateIdFile({ type: 'image/jpeg', size: 10 * 1024 * 1024 })).toBe(
      'Please upload an image smaller than 10MB.',
    );
    expect(validateIdFile({ type: 'image/jpeg', size: 10 })).toBeNull();
  });
});
