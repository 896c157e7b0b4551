/** `npm run mails -- FOLDER`: writes each mail with its previews as an HTML and a text file, and an index of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escape } from '#server/mails/layout.ts';
import { renderMails } from './render.ts';

const folder = process.argv[2] ?? 'artefacts/mails';
await mkdir(folder, { recursive: true });
const links: string[] = [];
for (const { name, message } of await renderMails()) {
  const file = name.replaceAll(/[^A-Za-z]+/g, '-');
  const text = typeof message === 'string' ? message : message.text;
  await writeFile(join(folder, `${file}.txt`), `${text}\n`);
  if (typeof message !== 'string') await writeFile(join(folder, `${file}.html`), message.html);
  const page = typeof message === 'string' ? '' : `<a href="${file}.html">${escape(message.subject)}</a>, `;
  links.push(`<li>${escape(name)}: ${page}<a href="${file}.txt">text</a></li>`);
}
await writeFile(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><ul>${links.join('\n')}</ul>\n`);
