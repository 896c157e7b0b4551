import { type Letter, parseParagraphs } from '#rules/letter.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** Sends news to an address on the mailing list, with a link to unsubscribe. */
export function newsMail(from: Letterhead, letter: Letter, leaveUrl: string): Mail {
  const leave = [
    { text: `You get this email because you signed up for news from ${from.name}. `, href: null },
    { text: 'Unsubscribe', href: leaveUrl },
  ];
  return render(from, letter, [{ kind: 'paragraph', lines: [leave] }]);
}
newsMail.previews = ({ from, site }: PreviewData): Previews<typeof newsMail> => {
  const news = {
    subject: 'A new mixer in Studio B, and cheaper mornings',
    body: 'From Monday there is a new mixer in Studio B.\nCome and try it.\n\nMornings cost $39: [see the prices](https://studios.example/booking), or read https://studios.example/about.',
  };
  return { '': [from, news, `${site}/unsubscribe?id=8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55`] };
};

/** Sends a mail that staff wrote to one customer. */
export function customerMail(from: Letterhead, letter: Letter): Mail {
  return render(from, letter, []);
}
customerMail.previews = ({ from }: PreviewData): Previews<typeof customerMail> => ({
  '': [from, { subject: 'Your question about Studio B', body: 'Hi Olive,\n\nYes, bring your own controller.' }],
});

type Block = Parameters<typeof renderMail>[1]['blocks'][number];

function render(from: Letterhead, { subject, body }: Letter, end: readonly Block[]): Mail {
  const paragraphs = parseParagraphs(body);
  return renderMail(from, {
    subject,
    preheader: (paragraphs[0]?.[0] ?? []).map(({ text }) => text).join(''),
    heading: subject,
    blocks: [...paragraphs.map((lines): Block => ({ kind: 'paragraph', lines })), ...end],
  });
}
