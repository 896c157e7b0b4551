import { expect, test } from 'vitest';
import { disputeEvidence, type EvidenceFacts } from './dispute-evidence-page.ts';

const FACTS: EvidenceFacts = {
  business: 'Harbour <Audio>',
  reference: 'ABCD-2345',
  studioName: 'Studio A',
  start: '2031-03-08T07:00:00Z',
  end: '2031-03-08T10:00:00Z',
  status: 'cancelled',
  hours: 3,
  createdAt: '2031-03-01T00:00:00Z',
  confirmedAt: '2031-03-01T00:05:00Z',
  cancelledAt: '2031-03-02T00:00:00Z',
  madeByStaff: false,
  freeCancelHours: 48,
  baseCents: 19_700,
  discountCents: 2_000,
  couponCents: 1_000,
  waivedCents: 500,
  finalCents: 16_200,
  customer: { name: 'Zoë "Z" Müller', email: 'zoe@example.com', phone: '+61400000000', since: '2031-02-01T00:00:00Z' },
  payments: [
    {
      kind: 'card',
      state: 'refund_pending',
      cents: 16_200,
      refundedCents: 1_100,
      paidAt: '2031-03-01T00:04:00Z',
      providerId: 'pi_1',
    },
  ],
  disputes: [
    {
      id: 'du_1',
      providerStatus: 'needs_response',
      reason: 'product_not_received',
      amountCents: 16_200,
      openedAt: '2031-03-20T00:00:00Z',
      dueAt: '2031-03-27T00:00:00Z',
    },
  ],
  terms: [{ version: '2030-06', acceptedAt: '2031-02-01T00:00:00Z' }],
  agreed: {
    version: '2030-06',
    texts: {
      name: 'Harbour',
      email: 'a@example.com',
      freeCancelHours: 48,
      terms: [{ title: 'Cancelling <b>', text: 'Free until {cancelHours} hours before.' }],
    },
  },
  ids: [
    {
      source: 'photo',
      status: 'in_review',
      checkedAt: '2031-02-02T00:00:00Z',
      verifiedAt: '2031-02-03T00:00:00Z',
      expiresAt: '2032-02-03T00:00:00Z',
      nameMatched: 'close_match',
    },
  ],
  codes: [
    {
      from: '2031-03-08T06:45:00Z',
      until: '2031-03-08T10:15:00Z',
      requestedAt: '2031-03-08T01:00:00Z',
      acceptedAt: '2031-03-08T01:01:00Z',
      seenAt: '2031-03-08T02:00:00Z',
      usedAt: '2031-03-08T07:06:00Z',
    },
  ],
  doorLog: [
    { at: '2031-03-08T07:06:00Z', kind: 'code', byCode: true },
    { at: '2031-03-08T07:30:00Z', kind: 'from_inside', byCode: false },
  ],
  mails: [{ kind: 'mail.booking-confirmed', sentAt: '2031-03-01T00:05:30Z' }],
  madeAt: new Date('2031-03-21T00:00:00Z'),
};

/** Returns the sections of a page: for each heading its tables as rows of name and value, or "None." */
function readSections(page: string): Record<string, unknown> {
  const sections = [...page.matchAll(/<section><h2>(.*?)<\/h2>\n([^]*?)<\/section>/g)];
  return Object.fromEntries(
    sections.map(([, heading = '', body = '']) => [
      heading,
      body.startsWith('<table>')
        ? body
            .split('\n')
            .map((table) =>
              [...table.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map((row) => row.slice(1)),
            )
        : body,
    ]),
  );
}

test('the page has every fact of the booking under its heading, in words and Sydney time', () => {
  expect(readSections(disputeEvidence(FACTS))).toEqual({
    Booking: [
      [
        ['Reference', 'ABCD-2345'],
        ['Studio', 'Studio A'],
        ['Session', 'Saturday 8 March 2031, 6 pm to 9 pm'],
        ['Hours', '3'],
        ['State', 'cancelled'],
        ['Booked by the customer', 'Sat 1 Mar 2031, 11 am'],
        ['Confirmed', 'Sat 1 Mar 2031, 11:05 am'],
        ['Cancelled', 'Sun 2 Mar 2031, 11 am'],
        ['Price', '$197'],
        ['Volume discount', '-$20'],
        ['Coupon', '-$10'],
        ['Not charged', '-$5'],
        ['To pay', '$162'],
        ['Agreed cancellation terms', 'Full refund up to 48 hours before the start'],
      ],
    ],
    Customer: [
      [
        ['Name', 'Zoë &quot;Z&quot; Müller'],
        ['Email', 'zoe@example.com'],
        ['Phone', '+61400000000'],
        ['Account since', 'Sat 1 Feb 2031, 11 am'],
      ],
    ],
    Disputes: [
      [
        ['Dispute', 'du_1'],
        ['Amount', '$162'],
        ['Reason', 'product not received'],
        ['State', 'needs response'],
        ['Opened', 'Thu 20 Mar 2031, 11 am'],
        ['Respond by', 'Thu 27 Mar 2031, 11 am'],
      ],
    ],
    Payments: [
      [
        ['Paid', 'Sat 1 Mar 2031, 11:04 am'],
        ['Amount', '$162'],
        ['Refunded', '$11'],
        ['State', 'refund pending'],
        ['At the payment provider', 'pi_1'],
      ],
    ],
    'Terms the customer accepted': [[['Version 2030-06', 'Sat 1 Feb 2031, 11 am']]],
    'ID checks': [
      [
        ['Kind', 'Photo of a licence, compared with the account'],
        ['Checked', 'Sun 2 Feb 2031, 11 am'],
        ['Result', 'in review'],
        ['Verified', 'Mon 3 Feb 2031, 11 am'],
        ['Name', 'close match'],
      ],
    ],
    'Access codes': [
      [
        ['Worked', 'Sat 8 Mar 2031, 5:45 pm to Sat 8 Mar 2031, 9:15 pm'],
        ['Requested from the lock', 'Sat 8 Mar 2031, 12 pm'],
        ['Accepted by the lock', 'Sat 8 Mar 2031, 12:01 pm'],
        ['Seen by the customer', 'Sat 8 Mar 2031, 1 pm'],
        ['Opened the door', 'Sat 8 Mar 2031, 6:06 pm'],
      ],
    ],
    'Door log of the session': [
      [
        ['Sat 8 Mar 2031, 6:06 pm', 'Opened with a code of this booking, 6 min after the start'],
        ['Sat 8 Mar 2031, 6:30 pm', 'Opened from inside, 30 min after the start'],
      ],
    ],
    'Emails sent to the customer': [[['Booking confirmation email', 'Sat 1 Mar 2031, 11:05 am']]],
    'Terms, version 2030-06': '<h3>Cancelling &lt;b&gt;</h3>\n<p>Free until 48 hours before.</p>',
  });
});

test('the page begins with its title, our name and when it was made, escaped', () => {
  const page = disputeEvidence(FACTS);
  expect(page).toMatch(/^<!doctype html>\n<html lang="en-AU"><head><meta charset="utf-8">/);
  expect(page).toContain('<title>Evidence: booking ABCD-2345</title>');
  expect(page).toContain(`<body><h1>Evidence: booking ABCD-2345</h1>
<p>Harbour &lt;Audio&gt;. Made on Fri 21 Mar 2031, 11 am from our records. All times are Sydney time.</p>
<section><h2>Booking</h2>`);
});

test('facts that are missing have no row, and a section without rows says so', () => {
  const [payment, dispute, id, code] = [FACTS.payments[0]!, FACTS.disputes[0]!, FACTS.ids![0]!, FACTS.codes[0]!];
  const page = disputeEvidence({
    ...FACTS,
    confirmedAt: null,
    cancelledAt: null,
    madeByStaff: true,
    freeCancelHours: null,
    discountCents: 0,
    couponCents: 0,
    waivedCents: 0,
    customer: { name: null, email: null, phone: null, since: null },
    payments: [{ ...payment, refundedCents: 0, providerId: null }],
    disputes: [dispute, { ...dispute, reason: null, dueAt: null }],
    terms: [],
    agreed: null,
    ids: [
      { ...id, source: 'hosted', verifiedAt: null, nameMatched: null },
      { ...id, source: 'staff' },
      { ...id, source: 'passport' },
    ],
    codes: [{ ...code, acceptedAt: null, seenAt: null, usedAt: null }],
    doorLog: [],
    mails: [],
  });
  const names = (heading: string): unknown =>
    (readSections(page)[heading] as string[][][]).map((rows) => rows.map(([name]) => name));
  expect(names('Booking')).toEqual([
    ['Reference', 'Studio', 'Session', 'Hours', 'State', 'Booked by our staff', 'Price', 'To pay'],
  ]);
  expect(names('Payments')).toEqual([['Paid', 'Amount', 'State']]);
  expect(names('Disputes')).toEqual([
    ['Dispute', 'Amount', 'Reason', 'State', 'Opened', 'Respond by'],
    ['Dispute', 'Amount', 'Reason', 'State', 'Opened'],
  ]);
  expect(names('Access codes')).toEqual([['Worked', 'Requested from the lock']]);
  expect(readSections(page)).toMatchObject({
    Customer: [
      [
        ['Name', 'Unknown'],
        ['Email', 'Unknown'],
        ['Phone', 'Unknown'],
      ],
    ],
    Disputes: [expect.anything(), expect.arrayContaining([['Reason', 'Not given']])],
    'ID checks': [
      [['Kind', 'Online check of the payment provider'], expect.anything(), ['Result', 'in review']],
      expect.arrayContaining([['Kind', 'Checked by our staff']]),
      expect.arrayContaining([['Kind', 'passport']]),
    ],
    'Terms the customer accepted': '<p>None.</p>',
    'Door log of the session': '<p>None.</p>',
    'Emails sent to the customer': '<p>None.</p>',
  });
  expect(page).not.toContain('<h2>Terms, version');
});

test('staff who may not see ID checks get no section for them, and terms without a text have none either', () => {
  const page = disputeEvidence({ ...FACTS, ids: null, agreed: { version: '2029-01', texts: null } });
  expect(page).not.toContain('ID checks');
  expect(page).not.toContain('<h2>Terms, version');
});
