import type { Business } from '#rules/business/business.ts';
import type { LetterPart, Paragraph } from '#rules/letter.ts';
import { part, SHEETS, type Tones } from './style.ts';

/** The details of the sender in every mail. */
export type Letterhead = Pick<Business, 'name' | 'address' | 'email'>;

/** A block of a mail's body. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** Text written by staff: lines with links. */
  | { readonly kind: 'paragraph'; readonly lines: Paragraph }
  | { readonly kind: 'code'; readonly label: string; readonly code: string }
  | { readonly kind: 'button'; readonly label: string; readonly href: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [string, string])[] };

export type Mail = { readonly subject: string; readonly html: string; readonly text: string };

/**
 * Renders a mail as HTML and text: one column of tables for old readers, at most one picture, and a light and a dark scheme. The text part
 * contains everything that the HTML part shows. Each code has its own line in it: `Label: 123456`.
 */
export function renderMail(
  from: Letterhead,
  input: {
    subject: string;
    preheader: string;
    heading: string;
    blocks: readonly Block[];
    /** A picture above the heading, 8:5, with a URL of the site. The mail is complete without it if a mail program does not load it. */
    picture?: { readonly src: string; readonly alt: string } | null;
  },
): Mail {
  const html = `<!doctype html>
<html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no"><meta name="x-apple-disable-message-reformatting">
<title>${escape(input.subject)}</title>
${SHEETS}</head>
<body ${part('page', 'margin:0;padding:0;word-break:break-word;overflow-wrap:anywhere;')}>
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;">${escape(input.preheader)}${AFTER_PREHEADER}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" ${part('page')}><tr><td align="center" class="edge" style="padding:32px 16px;">
<!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->
<table role="presentation" width="600" cellpadding="0" cellspacing="0" ${part('card', 'width:100%;max-width:600px;border-top:4px solid #ff5a2c;')}>
${input.picture ? pictureHtml(input.picture) : ''}${cell(`padding-top:28px;padding-bottom:0;font:700 13px/1.4 ${FONT};letter-spacing:2px;text-transform:uppercase;`, 'brand', escape(from.name))}
${cell('padding-top:12px;', 'body', `<h1 ${part('heading', `margin:0;font:700 28px/1.2 ${FONT};`)}>${show(input.heading)}</h1>`)}
${input.blocks.map(blockHtml).join('\n')}
${cell('padding-top:12px;padding-bottom:32px;', 'foot', footHtml(from))}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table></body></html>`;
  const foot = ['--', `${from.name}, ${from.address}`, `Questions? ${from.email}`];
  const text = [input.heading, '', ...input.blocks.map(blockText), ...foot].join('\n');
  return { subject: input.subject, html, text };
}

const FONT = 'Arial,Helvetica,sans-serif';
/** Keeps the text after the preheader out of the preview line in mail lists. */
const AFTER_PREHEADER = '&#847;&zwnj;&nbsp;'.repeat(50);

/** Renders a row of the mail. `tone`: the colour of its text. */
const cell = (style: string, tone: keyof Tones, inner: string): string =>
  `<tr><td class="in" style="padding:8px 32px;font:400 16px/1.6 ${FONT};${style}"><div ${part(tone)}>${inner}</div></td></tr>`;

/** Renders a picture as wide as the card. */
const pictureHtml = ({ src, alt }: { readonly src: string; readonly alt: string }): string =>
  `<tr><td style="padding:0;"><img src="${escape(src)}" alt="${escape(alt)}" width="600" style="display:block;width:100%;max-width:600px;height:auto;border:0;"></td></tr>\n`;

const footHtml = (from: Letterhead): string =>
  `<div ${part('rule', `border-top-width:1px;border-top-style:solid;padding-top:16px;font:400 13px/1.6 ${FONT};`)}>${escape(from.name)}, ${escape(from.address)}<br>Questions? ${partHtml(writeTo(from.email))}</div>`;

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'text':
      return cell('', 'body', show(block.text));
    case 'paragraph':
      return cell('', 'body', block.lines.map((line) => line.map(partHtml).join('')).join('<br>'));
    case 'code':
      return cell(
        'padding-top:16px;padding-bottom:16px;',
        'label',
        `<div style="font-size:13px;">${escape(block.label)}</div><div ${part('code', "font:700 34px/1.3 'Courier New',Courier,monospace;letter-spacing:4px;white-space:nowrap;")}>${escape(block.code)}</div>`,
      );
    case 'button':
      return cell(
        'padding-top:12px;padding-bottom:20px;',
        'body',
        `<table role="presentation" cellpadding="0" cellspacing="0" ${part('button')}><tr><td align="center"><a href="${escape(block.href)}" ${part('press', `display:inline-block;font:700 16px/1.4 ${FONT};text-decoration:none;padding:13px 24px;`)}>${escape(block.label)}</a></td></tr></table>`,
      );
    case 'facts':
      return cell(
        'padding-top:12px;padding-bottom:12px;',
        'body',
        `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${block.rows.map(factHtml(block.rows)).join('')}</table>`,
      );
  }
}

/** Longest value, in characters, that stays next to its name on narrow screens. Longer ones are placed below. */
const SHORT = 22;

const factHtml =
  (rows: readonly (readonly [string, string])[]) =>
  ([name, value]: readonly [string, string]): string => {
    const stacked = rows.some(([, text]) => text.length > SHORT) ? ' stacked' : '';
    return `<tr><td ${part('label', `padding:6px 12px 6px 0;font:400 14px/1.5 ${FONT};vertical-align:top;width:38%;`, stacked)}>${show(name)}</td><td ${part('value', `padding:6px 0;font:700 15px/1.5 ${FONT};vertical-align:top;`, stacked)}>${show(value).replaceAll('\n', '<br>')}</td></tr>`;
  };

/** Escapes text for HTML and keeps times from breaking across lines. */
const show = (text: string): string =>
  escape(text)
    .replaceAll(/(\d) ([ap]m)\b/g, '$1&nbsp;$2')
    .replaceAll('Sydney time', 'Sydney&nbsp;time');

/** Starts a text with the first name if it is known. The text must be written to continue "Hi Olive, ". */
export const greet = (firstName: string | null, text: string): string =>
  firstName ? `Hi ${firstName}, ${text}` : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Builds a paragraph of text and links. */
export const sentence = (...parts: readonly (string | LetterPart)[]): Block => ({
  kind: 'paragraph',
  lines: [parts.map((part) => (typeof part === 'string' ? { text: part, href: null } : part))],
});

/** Builds a link that opens a new mail to an address. */
export const writeTo = (address: string): LetterPart => ({ text: address, href: `mailto:${address}` });

const partHtml = ({ text, href }: LetterPart): string =>
  href === null ? show(text) : `<a href="${escape(href)}" ${part('link')}>${show(text)}</a>`;

const partText = ({ text, href }: LetterPart): string =>
  href === null || href === text || href === `mailto:${text}` ? text : `${text} (${href})`;

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `${block.text}\n`;
    case 'paragraph':
      return `${block.lines.map((line) => line.map(partText).join('')).join('\n')}\n`;
    case 'code':
      return `${block.label}: ${block.code}\n`;
    case 'button':
      return `${block.label}:\n${block.href}\n`;
    case 'facts':
      return `${block.rows.map(([name, value]) => `${name}: ${value}`).join('\n')}\n`;
  }
}

/** Escapes text for HTML. */
export function escape(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}
