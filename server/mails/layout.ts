import type { Business } from '#rules/business/business.ts';
import type { LetterPart, Paragraph } from '#rules/letter.ts';

/** What every mail says of its sender. */
export type Letterhead = Pick<Business, 'name' | 'address' | 'email'>;

/** One block of a mail's body. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** Text that staff wrote: lines with links. */
  | { readonly kind: 'paragraph'; readonly lines: Paragraph }
  | { readonly kind: 'code'; readonly label: string; readonly code: string }
  | { readonly kind: 'button'; readonly label: string; readonly href: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [string, string])[] };

export type Mail = { readonly subject: string; readonly html: string; readonly text: string };

/**
 * Renders a mail as HTML and text: one column of tables for old clients, no remote pictures, readable with dark and light schemes.
 * In the text part each code has a line of its own: `Label: 123456`.
 */
export function renderMail(
  from: Letterhead,
  input: { subject: string; preheader: string; heading: string; blocks: readonly Block[] },
): Mail {
  const body = input.blocks.map(htmlOf).join('\n');
  const html = `<!doctype html>
<html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light"><title>${escape(input.subject)}</title></head>
<body style="margin:0;padding:0;background:#0b0b0c;">
<div style="display:none;max-height:0;overflow:hidden;">${escape(input.preheader)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#0b0b0c;"><tr><td align="center" style="padding:32px 16px;">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px;background:#151517;border-top:4px solid #ff4d1f;">
<tr><td style="padding:28px 32px 0;font:700 13px/1.4 Arial,Helvetica,sans-serif;letter-spacing:2px;text-transform:uppercase;color:#ff6a40;">${escape(from.name)}</td></tr>
<tr><td style="padding:12px 32px 8px;font:700 28px/1.2 Arial,Helvetica,sans-serif;color:#f5f3ef;">${escape(input.heading)}</td></tr>
${body}
<tr><td style="padding:24px 32px 32px;font:400 13px/1.6 Arial,Helvetica,sans-serif;color:#9b9893;border-top:1px solid #2a2a2d;">${escape(from.name)}, ${escape(from.address)}. Questions? <a href="mailto:${escape(from.email)}" style="color:#c9c6c0;">${escape(from.email)}</a></td></tr>
</table></td></tr></table></body></html>`;
  const text = [input.heading, '', ...input.blocks.map(textOf), '', `${from.name}, ${from.address}`, from.email].join(
    '\n',
  );
  return { subject: input.subject, html, text };
}

function htmlOf(block: Block): string {
  const cell = (style: string, inner: string): string =>
    `<tr><td style="padding:8px 32px;font:400 16px/1.6 Arial,Helvetica,sans-serif;color:#d9d6d0;${style}">${inner}</td></tr>`;
  switch (block.kind) {
    case 'text':
      return cell('', escape(block.text));
    case 'paragraph':
      return cell('', block.lines.map((line) => line.map(partHtml).join('')).join('<br>'));
    case 'code':
      return cell(
        'padding-top:16px;padding-bottom:16px;',
        `<div style="font-size:13px;color:#9b9893;">${escape(block.label)}</div><div style="font:700 40px/1.2 'Courier New',Courier,monospace;letter-spacing:8px;color:#ffffff;">${escape(block.code)}</div>`,
      );
    case 'button':
      return cell(
        'padding-top:12px;padding-bottom:20px;',
        `<a href="${escape(block.href)}" style="display:inline-block;background:#ff4d1f;color:#140500;font-weight:700;text-decoration:none;padding:14px 24px;">${escape(block.label)}</a>`,
      );
    case 'facts':
      return cell(
        'padding-top:12px;padding-bottom:12px;',
        `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${block.rows
          .map(
            ([name, value]) =>
              `<tr><td style="padding:6px 12px 6px 0;font:400 14px/1.5 Arial,Helvetica,sans-serif;color:#9b9893;vertical-align:top;width:38%;">${escape(name)}</td><td style="padding:6px 0;font:700 15px/1.5 Arial,Helvetica,sans-serif;color:#f5f3ef;">${escape(value)}</td></tr>`,
          )
          .join('')}</table>`,
      );
  }
}

const partHtml = ({ text, href }: LetterPart): string =>
  href === null ? escape(text) : `<a href="${escape(href)}" style="color:#ff6a40;">${escape(text)}</a>`;

const partText = ({ text, href }: LetterPart): string => (href === null || href === text ? text : `${text} (${href})`);

function textOf(block: Block): string {
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
