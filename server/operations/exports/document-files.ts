import { escape } from '#server/mails/layout.ts';
import { type DocumentFacts, type Sheet, toSheets, getSummary } from './document-sheets.ts';
import { beginPdf, PAGE, type PdfFile, type PdfMark } from './pdf.ts';

const STYLE =
  'body{font:15px/1.5 Arial,Helvetica,sans-serif;color:#111;background:#fff;max-width:44rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.7rem;margin:0 0 1rem}header,dl{display:flex;flex-wrap:wrap;gap:.5rem 3rem;margin:0 0 1.2rem}dl div{min-width:7rem}dt,h2{font-size:.8rem;font-weight:400;color:#555;margin:0}dd{margin:0;font-weight:700}address{font-style:normal}table{border-collapse:collapse;width:100%;margin:.8rem 0}td,th{padding:.45rem 0;border-bottom:1px solid #ccc;text-align:left;font-weight:400}td{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tfoot th,tfoot td{font-weight:700;border-bottom:0}article+article{margin-top:3rem;border-top:3px solid #111;padding-top:2rem}@media print{article{break-after:page;border:0}body{margin:0}}';

/** Renders all documents of a booking as one printable HTML page. All user-entered text is escaped. */
export function documentPage(facts: DocumentFacts): string {
  const sheets = toSheets(facts);
  const title = getTitle(facts, sheets);
  return `<!doctype html>
<html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title>
<style>${STYLE}</style></head>
<body><main>
${sheets.map(article).join('\n')}
${summary(facts)}</main></body></html>
`;
}

/** For example "Tax invoice ABCD-2345". */
const getTitle = ({ reference }: DocumentFacts, [first]: readonly Sheet[]): string =>
  `${first?.title ?? ''} ${reference}`;

const lines = (texts: readonly string[]): string => texts.map(escape).join('<br>');
const row = ([name, amount]: readonly [string, string]): string =>
  `<tr><th scope="row">${escape(name)}</th><td>${escape(amount)}</td></tr>`;

function article(sheet: Sheet): string {
  return `<article><h1>${escape(sheet.title)}</h1>
<dl>${sheet.facts.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`).join('')}</dl>
<header><section><h2>From</h2><address>${lines(sheet.seller)}</address></section><section><h2>To</h2><address>${lines(sheet.buyer)}</address></section></header>
<p>${escape(sheet.about)}</p>
<table><tbody>${sheet.items.map(row).join('')}</tbody><tfoot>${row(sheet.total)}</tfoot></table>
${sheet.tax === '' ? '' : `<p>${escape(sheet.tax)}</p>`}</article>`;
}

function summary(facts: DocumentFacts): string {
  const rows = getSummary(facts);
  return rows.length === 0
    ? ''
    : `<article><h1>Summary</h1><table><tbody>${rows.map(row).join('')}</tbody></table></article>\n`;
}

const LEFT = 56;
const RIGHT = PAGE.width - 56;
const SIZE = 10.5;
const STEP = 16;

/** Renders all documents of one or more bookings as a PDF file, one document per page. */
export async function documentPdf(
  facts: DocumentFacts,
  ...more: readonly DocumentFacts[]
): Promise<Uint8Array<ArrayBuffer>> {
  const file = await beginPdf(getTitle(facts, toSheets(facts)));
  const pages = [facts, ...more].flatMap((booking) => {
    const rows = getSummary(booking);
    return [
      ...toSheets(booking).map((sheet) => page(file, sheet)),
      ...(rows.length === 0 ? [] : [[heading('Summary'), ...table(rows, 130)]]),
    ];
  });
  return file.write(pages);
}

const heading = (text: string): PdfMark => ({ kind: 'text', x: LEFT, y: 84, size: 22, text, bold: true });

function page(file: PdfFile, sheet: Sheet): PdfMark[] {
  const facts = sheet.facts.flatMap(([name, value], index): PdfMark[] => {
    const x = LEFT + index * 120;
    return [
      { kind: 'text', x, y: 120, size: 8.5, text: name, grey: true },
      { kind: 'text', x, y: 134, size: SIZE, text: value, bold: true },
    ];
  });
  const [from, to] = [column(file, 'From', sheet.seller, LEFT), column(file, 'To', sheet.buyer, LEFT + 250)];
  let y = 178 + STEP * Math.max(from.length, to.length);
  const about = file.wrap(sheet.about, SIZE, RIGHT - LEFT).map((text): PdfMark => {
    y += STEP;
    return { kind: 'text', x: LEFT, y, size: SIZE, text };
  });
  const items = table([...sheet.items, sheet.total], y + 32, true);
  y += 32 + STEP * 1.6 * (sheet.items.length + 1);
  const tax: PdfMark[] = sheet.tax === '' ? [] : [{ kind: 'text', x: LEFT, y: y + STEP, size: SIZE, text: sheet.tax }];
  return [heading(sheet.title), ...facts, ...from, ...to, ...about, ...items, ...tax];
}

function column(file: PdfFile, name: string, texts: readonly string[], x: number): PdfMark[] {
  const broken = texts.flatMap((text) => file.wrap(text, SIZE, 230));
  return [
    { kind: 'text', x, y: 170, size: 8.5, text: name, grey: true },
    ...broken.map((text, index): PdfMark => ({ kind: 'text', x, y: 186 + index * STEP, size: SIZE, text })),
  ];
}

/** Lays out rows with a right-aligned amount. `total`: whether the last row is bold. */
function table(rows: readonly (readonly [string, string])[], from: number, total = false): PdfMark[] {
  return rows.flatMap(([name, amount], index): PdfMark[] => {
    const y = from + index * STEP * 1.6;
    const bold = total && index === rows.length - 1;
    return [
      { kind: 'text', x: LEFT, y, size: SIZE, text: name, bold },
      { kind: 'text', x: RIGHT, y, size: SIZE, text: amount, bold, right: true },
      { kind: 'line', x: LEFT, y: y + 7, width: RIGHT - LEFT },
    ];
  });
}
