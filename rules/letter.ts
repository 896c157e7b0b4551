import { z } from 'zod';

/** A mail that staff write: a subject and plain text. Blank lines separate paragraphs; the text may contain links. */
export const letterSchema = z.object({
  subject: z
    .string()
    .trim()
    .min(1, 'Write a subject')
    .max(150, 'The subject is too long')
    .regex(/^[^\r\n]*$/, 'The subject is one line'),
  body: z
    .string()
    .trim()
    .min(1, 'Write the text of the email')
    .max(10_000, 'The text is too long')
    .transform((text) => text.replaceAll('\r\n', '\n')),
});
export type Letter = z.output<typeof letterSchema>;

/** A part of a line: text, or a link. */
export type LetterPart = { readonly text: string; readonly href: string | null };
/** A paragraph: its lines, each split into parts. */
export type Paragraph = readonly (readonly LetterPart[])[];

/** Matches `[label](https://…)`, or a bare address without the punctuation that ends the sentence. */
const LINK = /\[([^\]\n]+)\]\((https?:\/\/[^\s()]+)\)|https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g;

/** Parses the paragraphs of a letter. */
export function parseParagraphs(body: string): readonly Paragraph[] {
  return body
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.split('\n').map(parseParts));
}

function parseParts(line: string): LetterPart[] {
  const parts: LetterPart[] = [];
  let end = 0;
  for (const match of line.matchAll(LINK)) {
    if (match.index > end) parts.push({ text: line.slice(end, match.index), href: null });
    parts.push({ text: match[1] ?? match[0], href: match[2] ?? match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push({ text: line.slice(end), href: null });
  return parts;
}

/** Mails of a campaign that are sent per minute: the default and the maximum. */
export const CAMPAIGN_PACE = 60;
export const CAMPAIGN_PACE_MAX = 600;
