import { expect, test } from 'vitest';
import { documentPage, documentPdf } from './document-files.ts';
import { type DocumentFacts, toSheets, getSummary } from './document-sheets.ts';
import { readPdf, readPdfDrawing, readPdfPlaces, readPdfTitle } from '#tests/support/files/pdf-text.ts';
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
  const [sheet] = toSheets(FACTS);
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
  expect(toSheets(FACTS)[1]).toMatchObject({
    title: 'Adjustment note',
    facts: expect.arrayContaining([['For tax invoice', '000007']]),
    items: [['Part of the price refunded', '-$11.00']],
    total: ['Refunded', '-$11.00'],
    tax: 'The refund includes GST of $1.00.',
  });
  // A note whose invoice is missing or has no number names no document, and never itself.
  for (const documents of [[adjustment], [{ ...invoice, number: null }, adjustment]])
    expect(toSheets({ ...FACTS, documents }).at(-1)?.facts).toEqual([
      ['Number', '000009'],
      ['Date', 'Sat 1 Mar 2031'],
      ['Booking', 'ABCD-2345'],
    ]);
  expect(getSummary(FACTS)).toEqual([
    ['Paid in all', '$167.00'],
    ['Refunded in all', '-$11.00'],
    ['Left', '$156.00'],
  ]);
  expect(getSummary({ ...FACTS, documents: [invoice] })).toEqual([]);
});

test('without an ABN it is a receipt without GST; a free one has no number', () => {
  const [receipt] = toSheets({ ...FACTS, documents: [without] });
  expect(receipt).toMatchObject({ title: 'Receipt', tax: '' });
  expect(documentPage({ ...FACTS, documents: [without] })).not.toMatch(/tax invoice|ABN|GST/i);
  const free = { ...without, number: null, cents: 0, content: { ...without.content, waivedCents: 16_700 } };
  const [nothing] = toSheets({ ...FACTS, documents: [free] });
  expect(nothing?.facts.map(([name]) => name)).toEqual(['Date', 'Booking']);
  expect(nothing?.total).toEqual(['Total paid', '$0.00']);
});

test('a change has its difference as one item, and so has a booking whose items are not known', () => {
  const items = (content: Partial<typeof CONTENT>, cents: number) =>
    toSheets({ ...FACTS, documents: [{ ...invoice, cents, content: { ...CONTENT, ...content } }] })[0]?.items;
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
  const { write } = await beginPdf('Name');
  const file = await write([[{ kind: 'text', x: 50, y: 50, size: 9, text }]]);
  expect(await readPdf(file)).toEqual([shown]);
});

test('text of a PDF is broken at the width of its letters', async () => {
  const { wrap } = await beginPdf('Words');
  expect(wrap('one two three', 10, 40)).toEqual(['one two', 'three']);
  expect(wrap('incomprehensibilities one', 10, 40)).toEqual(['incomprehensibilities', 'one']);
  expect(wrap('one \n two', 10, 40)).toEqual(['one two']);
  expect(wrap(' one', 10, 40)).toEqual(['one']);
  expect(wrap('', 10, 40)).toEqual(['']);
});

test('the PDF has each text in its place: facts in columns, a long address broken, amounts at the right edge, the total last', async () => {
  const address = 'Level 3, The Old Woolstore of the Harbour Authority, 123 Very Long Street Name, Sydney NSW 2000';
  const seller = { ...CONTENT.seller, address };
  const file = await documentPdf(
    { ...FACTS, documents: [{ ...invoice, content: { ...CONTENT, seller } }, adjustment] },
    { reference: 'OTHER', documents: [without] },
  );
  const pages = (await readPdfPlaces(file)).map((page) =>
    page.map(({ text, x, y, end }) => `${y}: ${x} to ${end}: ${text}`),
  );
  expect(pages.slice(0, 3)).toEqual([
    [
      '84: 56 to 177: Tax invoice',
      '120: 56 to 89: Number',
      '134: 56 to 92: 000007',
      '120: 176 to 195: Date',
      '134: 176 to 252: Sat 1 Mar 2031',
      '120: 296 to 329: Booking',
      '134: 296 to 352: ABCD-2345',
      '170: 56 to 77: From',
      '186: 56 to 141: Harbour <Audio>',
      '202: 56 to 155: ABN 51 824 753 556',
      '218: 56 to 263: Level 3, The Old Woolstore of the Harbour',
      '234: 56 to 282: Authority, 123 Very Long Street Name, Sydney',
      '250: 56 to 106: NSW 2000',
      '266: 56 to 137: a@example.com',
      '170: 306 to 315: To',
      '186: 306 to 377: Zoë "Ř" Müller',
      '202: 306 to 399: zoe@example.com',
      '306: 56 to 356: Studio A, Saturday 8 March 2031, 6 pm to 9 pm (Sydney time)',
      '338: 56 to 136: 1 hour at $59.00',
      '338: 506 to 539: $59.00',
      '364: 56 to 141: 2 hours at $69.00',
      '364: 500 to 539: $138.00',
      '389: 56 to 138: Volume discount',
      '389: 503 to 539: -$20.00',
      '415: 56 to 117: Coupon TEN',
      '415: 503 to 539: -$10.00',
      '440: 56 to 107: Total paid',
      '440: 500 to 539: $167.00',
      '482: 56 to 224: Total price includes GST of $15.18.',
    ],
    [
      '84: 56 to 241: Adjustment note',
      '120: 56 to 89: Number',
      '134: 56 to 92: 000009',
      '120: 176 to 195: Date',
      '134: 176 to 252: Sat 1 Mar 2031',
      '120: 296 to 329: Booking',
      '134: 296 to 352: ABCD-2345',
      '120: 416 to 474: For tax invoice',
      '134: 416 to 452: 000007',
      '170: 56 to 77: From',
      '186: 56 to 141: Harbour <Audio>',
      '202: 56 to 155: ABN 51 824 753 556',
      '218: 56 to 117: Sydney NSW',
      '234: 56 to 137: a@example.com',
      '170: 306 to 315: To',
      '186: 306 to 377: Zoë "Ř" Müller',
      '202: 306 to 399: zoe@example.com',
      '274: 56 to 356: Studio A, Saturday 8 March 2031, 6 pm to 9 pm (Sydney time)',
      '306: 56 to 183: Part of the price refunded',
      '306: 503 to 539: -$11.00',
      '332: 56 to 106: Refunded',
      '332: 503 to 539: -$11.00',
      '373: 56 to 221: The refund includes GST of $1.00.',
    ],
    [
      '84: 56 to 161: Summary',
      '130: 56 to 103: Paid in all',
      '130: 500 to 539: $167.00',
      '156: 56 to 130: Refunded in all',
      '156: 503 to 539: -$11.00',
      '181: 56 to 75: Left',
      '181: 500 to 539: $156.00',
    ],
  ]);
  // Without an ABN there is no GST, and a single document has no summary.
  expect(pages).toHaveLength(4);
  expect(pages[3]).toContain('84: 56 to 138: Receipt');
  expect(pages[3]?.at(-1)).toBe('392: 500 to 539: $167.00');
});

test('the PDF has names in grey, values and the total in bold, a line below each row, and its title', async () => {
  const short = { ...CONTENT, slots: [{ priceCents: 19_700 }], hours: 1 };
  const file = await documentPdf({ ...FACTS, documents: [{ ...invoice, content: short }] });
  expect(await readPdfTitle(file)).toEqual({ title: 'Tax invoice ABCD-2345', language: 'en-AU', isTitleShown: true });
  const [page = []] = readPdfDrawing(file);
  expect(`\n${page.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    F22 22, 0 %
    F1 8.5, 35 %
    F22 10.5, 0 %
    F1 8.5, 35 %
    F22 10.5, 0 %
    F1 8.5, 35 %
    F22 10.5, 0 %
    F1 8.5, 35 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 8.5, 35 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    line from 56, 313 to 539, 313, 0.5 wide, 60 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    line from 56, 338.6 to 539, 338.6, 0.5 wide, 60 %
    F1 10.5, 0 %
    F1 10.5, 0 %
    line from 56, 364.2 to 539, 364.2, 0.5 wide, 60 %
    F22 10.5, 0 %
    F22 10.5, 0 %
    line from 56, 389.8 to 539, 389.8, 0.5 wide, 60 %
    F1 10.5, 0 %
    "
  `);
});

test('the page has facts, seller, buyer, items, total and tax of a sheet, each in its element', () => {
  const page = documentPage(FACTS);
  expect(page).toMatch(/^<!doctype html>\n<html lang="en-AU"><head><meta charset="utf-8">/);
  expect(page).toMatch(/<body><main>\n<article><h1>Tax invoice<\/h1>[^]*<\/article>\n<\/main><\/body><\/html>\n$/);
  expect(/<article><h1>Adj[^]*/.exec(page)?.[0].split('</main>')[0]).toBe(
    `<article><h1>Adjustment note</h1>
<dl><div><dt>Number</dt><dd>000009</dd></div><div><dt>Date</dt><dd>Sat 1 Mar 2031</dd></div><div><dt>Booking</dt><dd>ABCD-2345</dd></div><div><dt>For tax invoice</dt><dd>000007</dd></div></dl>
<header><section><h2>From</h2><address>Harbour &lt;Audio&gt;<br>ABN 51 824 753 556<br>Sydney NSW<br>a@example.com</address></section><section><h2>To</h2><address>Zoë &quot;Ř&quot; Müller<br>zoe@example.com</address></section></header>
<p>Studio A, Saturday 8 March 2031, 6 pm to 9 pm (Sydney time)</p>
<table><tbody><tr><th scope="row">Part of the price refunded</th><td>-$11.00</td></tr></tbody><tfoot><tr><th scope="row">Refunded</th><td>-$11.00</td></tr></tfoot></table>
<p>The refund includes GST of $1.00.</p></article>
<article><h1>Summary</h1><table><tbody><tr><th scope="row">Paid in all</th><td>$167.00</td></tr><tr><th scope="row">Refunded in all</th><td>-$11.00</td></tr><tr><th scope="row">Left</th><td>$156.00</td></tr></tbody></table></article>
`,
  );
});

test('a sheet has what its booking has: no ABN, phone, name or coupon without one, and what was waived, cancelled or paid elsewhere', () => {
  const sheet = (content: Partial<typeof CONTENT & { cancelled: boolean }>, more: object = {}) =>
    toSheets({ ...FACTS, documents: [{ ...invoice, ...more, content: { ...CONTENT, ...content } }] })[0];
  const seller = { ...CONTENT.seller, abn: '', phone: '+61 2 5550 0000' };
  expect(sheet({ seller })?.seller).toEqual(['Harbour <Audio>', 'Sydney NSW', 'a@example.com', '+61 2 5550 0000']);
  expect(sheet({ seller: { ...seller, phone: null as never } })?.seller).toHaveLength(3);
  expect(sheet({ buyer: { name: null as never, email: 'zoe@example.com' } })?.buyer).toEqual(['zoe@example.com']);
  expect(sheet({ buyer: { name: 'Zoë', email: null as never } })?.buyer).toEqual(['Zoë']);
  expect(
    sheet({ slots: null as never, hours: 1, couponCode: null as never, waivedCents: 500 }, { cents: 16_200 })?.items,
  ).toEqual([
    ['1 hour', '$197.00'],
    ['Volume discount', '-$20.00'],
    ['Coupon', '-$10.00'],
    ['Not charged', '-$5.00'],
  ]);
  expect(sheet({ discountCents: 0, couponCents: 0 }, { cents: 19_700 })?.items).toHaveLength(2);
  expect(sheet({ online: false })?.total).toEqual(['Total paid, not online', '$167.00']);
  expect(sheet({ online: false, waivedCents: 16_700 }, { cents: 0 })?.total).toEqual(['Total paid', '$0.00']);
  expect(sheet({ cancelled: true }, { kind: 'adjustment' })?.items).toEqual([['Booking cancelled', '-$167.00']]);
  const [, refund] = toSheets({ ...FACTS, documents: [without, { ...without, kind: 'adjustment', number: 9 }] });
  expect(refund).toMatchObject({
    title: 'Refund receipt',
    facts: expect.arrayContaining([['For receipt', '000007']]),
    tax: '',
  });
  const [second, itsRefund] = [
    { ...invoice, number: 8, paymentId: 'other' },
    { ...adjustment, paymentId: 'other' },
  ];
  expect(toSheets({ ...FACTS, documents: [invoice, second, itsRefund] })[2]?.facts).toContainEqual([
    'For tax invoice',
    '000008',
  ]);
  expect(getSummary({ ...FACTS, documents: [invoice, invoice] })).toEqual([
    ['Paid in all', '$334.00'],
    ['Left', '$334.00'],
  ]);
});
