import { expect, test } from 'vitest';
import { documentPage, documentPdf } from './document-files.ts';
import { type DocumentFacts, sheetsOf, summaryOf } from './document-sheets.ts';
import { readPdf } from '#tests/support/files/pdf-text.ts';
import { beginPdf, OTHER_SCRIPT } from './pdf.ts';

const CONTENT: DocumentFacts['documents'][number]['content'] = {
  seller: { name: 'Harbour <Audio>', abn: '51824753556', address: 'Sydney NSW', email: 'a@example.com', phone: '' },
  buyer: { name: 'Zoë "Ř" Müller', email: 'zoe@example.com' },
  online: true,
  change: false,
  studioName: 'Studio A',
  startTime: '2031-03-08T07:00:00Z',
  endTime: '2031-03-08T10:00:00Z',
  hours: 3,
  slots: [{ priceCents: 5_900 }, { priceCents: 6_900 }, { priceCents: 6_900 }],
  baseCents: 19_700,
  discountCents: 2_000,
  couponCode: 'TEN',
  couponCents: 1_000,
  waivedCents: 0,
};
const invoice = {
  number: 7,
  kind: 'invoice',
  paymentId: 'p',
  cents: 16_700,
  content: CONTENT,
  issuedAt: '2031-03-01T00:00:00Z',
} as const;
const adjustment = { ...invoice, number: 9, kind: 'adjustment', cents: 1_100 } as const;
const FACTS: DocumentFacts = { reference: 'ABCD-2345', documents: [invoice, adjustment] };
const without = { ...invoice, content: { ...CONTENT, seller: { ...CONTENT.seller, abn: '' } } };

test('a tax invoice has its number, seller, ABN, buyer, items, discounts, total and GST', () => {
  const [sheet] = sheetsOf(FACTS);
  expect(sheet).toEqual({
    title: 'Tax invoice',
    facts: [
      ['Number', '000007'],
      ['Date', 'Sat 1 Mar 2031'],
      ['Booking', 'ABCD-2345'],
    ],
    seller: ['Harbour <Audio>', 'ABN 51 824 753 556', 'Sydney NSW', 'a@example.com'],
    buyer: ['Zoë "Ř" Müller', 'zoe@example.com'],
    about: 'Studio A, Saturday 8 March 2031, 6 pm to 9 pm (Sydney time)',
    items: [
      ['1 hour at $59.00', '$59.00'],
      ['2 hours at $69.00', '$138.00'],
      ['Volume discount', '-$20.00'],
      ['Coupon TEN', '-$10.00'],
    ],
    total: ['Total paid', '$167.00'],
    tax: 'Total price includes GST of $15.18.',
  });
});

test('an adjustment note names its invoice, and the summary what is left', () => {
  expect(sheetsOf(FACTS)[1]).toMatchObject({
    title: 'Adjustment note',
    facts: expect.arrayContaining([['For tax invoice', '000007']]),
    items: [['Part of the price refunded', '-$11.00']],
    total: ['Refunded', '-$11.00'],
    tax: 'The refund includes GST of $1.00.',
  });
  expect(summaryOf(FACTS)).toEqual([
    ['Paid in all', '$167.00'],
    ['Refunded in all', '-$11.00'],
    ['Left', '$156.00'],
  ]);
  expect(summaryOf({ ...FACTS, documents: [invoice] })).toEqual([]);
});

test('without an ABN it is a receipt without GST; a free one has no number', () => {
  const [receipt] = sheetsOf({ ...FACTS, documents: [without] });
  expect(receipt).toMatchObject({ title: 'Receipt', tax: '' });
  expect(documentPage({ ...FACTS, documents: [without] })).not.toMatch(/tax invoice|ABN|GST/i);
  const free = { ...without, number: null, cents: 0, content: { ...without.content, waivedCents: 16_700 } };
  const [nothing] = sheetsOf({ ...FACTS, documents: [free] });
  expect(nothing?.facts.map(([name]) => name)).toEqual(['Date', 'Booking']);
  expect(nothing?.total).toEqual(['Total paid', '$0.00']);
});

test('a change has its difference as one item, and so has a booking whose items are not known', () => {
  const items = (content: Partial<typeof CONTENT>, cents: number) =>
    sheetsOf({ ...FACTS, documents: [{ ...invoice, cents, content: { ...CONTENT, ...content } }] })[0]?.items;
  expect(items({ change: true }, 1_000)).toEqual([['Change of the booking, now 3 hours', '$10.00']]);
  expect(items({}, 5_900)).toEqual([['Studio A, 3 hours', '$59.00']]);
});

test('the page escapes what people typed, and has every sheet', () => {
  const page = documentPage(FACTS);
  expect(page).toContain('Harbour &lt;Audio&gt;');
  expect(page).not.toContain('<Audio>');
  expect(page.match(/<article>/g)).toHaveLength(3);
  expect(page).toContain('<title>Tax invoice ABCD-2345</title>');
});

test('the PDF has a page for each sheet, with its amounts, and little more than the letters that it uses', async () => {
  const file = await documentPdf(FACTS);
  expect(file.length).toBeLessThan(60_000);
  const pages = await readPdf(file);
  expect(pages).toHaveLength(3);
  for (const words of ['Tax invoice', 'Zoë "Ř" Müller', '$167.00', 'GST of $15.18']) expect(pages[0]).toContain(words);
  expect(pages[1]).toContain('Adjustment note');
  expect(pages[2]).toContain('Summary');
});

test.each(['Zoë Łukasz Dvořák', 'Ольга Иванова', 'Νίκος Παπαδόπουλος', 'Nguyễn Thị Ánh'])(
  'the PDF names %s in their own letters',
  async (name) => {
    const buyer = { ...CONTENT.buyer, name };
    const [page] = await readPdf(
      await documentPdf({ ...FACTS, documents: [{ ...invoice, content: { ...CONTENT, buyer } }] }),
    );
    expect(page?.normalize('NFC')).toContain(name.normalize('NFC'));
  },
);

test.each([
  ['李小龙', OTHER_SCRIPT],
  ['Bruce 李小龙 Lee', `Bruce Lee ${OTHER_SCRIPT}`],
])('the PDF says in words that it lacks letters of %s', async (text, shown) => {
  const file = await beginPdf('Name').write([[{ kind: 'text', x: 50, y: 50, size: 9, text }]]);
  expect(await readPdf(file)).toEqual([shown]);
});

test('text of a PDF is broken at the width of its letters', () => {
  const { wrap } = beginPdf('Words');
  expect(wrap('one two three', 10, 40)).toEqual(['one two', 'three']);
  expect(wrap('incomprehensibilities one', 10, 40)).toEqual(['incomprehensibilities', 'one']);
});
