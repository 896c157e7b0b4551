import { type Letter, paragraphsOf } from '#rules/letter.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';

/** News for one address of the mailing list, with the link that ends the subscription. */
export function newsMail(from: Letterhead, letter: Letter, leaveUrl: string): Mail {
  const leave = [
    { text: `You get this email because you signed up for news from ${from.name}. `, href: null },
    { text: 'Unsubscribe', href: leaveUrl },
  ];
  return render(from, letter, [{ kind: 'paragraph', lines: [leave] }]);
}

/** A mail that staff wrote to one customer. */
export function customerMail(from: Letterhead, letter: Letter): Mail {
  return render(from, letter, []);
}

type Block = Parameters<typeof renderMail>[1]['blocks'][number];

function render(from: Letterhead, { subject, body }: Letter, end: readonly Block[]): Mail {
  const paragraphs = paragraphsOf(body);
  return renderMail(from, {
    subject,
    preheader: (paragraphs[0]?.[0] ?? []).map(({ text }) => text).join(''),
    heading: subject,
    blocks: [...paragraphs.map((lines): Block => ({ kind: 'paragraph', lines })), ...end],
  });
}
