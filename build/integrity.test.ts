import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { addIntegrity } from './integrity.ts';

const computeHash = (text: string): string => `sha384-${createHash('sha384').update(text).digest('base64')}`;

test('scripts, preloaded modules and stylesheets of the build get the hash of their file, everything else stays as it is', () => {
  const page = [
    '<link rel="preload" as="font" crossorigin href="/assets/a-1.woff2" />',
    '<link rel="icon" href="/favicon.svg" />',
    '<script type="application/ld+json">{"url":"/assets/main-1.js"}</script>',
    '<script type="module" crossorigin src="/assets/main-1.js"></script>',
    '<link rel="modulepreload" crossorigin href="/assets/part-1.js">',
    '<link rel="stylesheet" crossorigin href="/assets/main-1.css">',
  ];
  const [font, icon, data] = page;
  expect(addIntegrity(page.join('\n'), (address) => Buffer.from(`bytes of ${address}`)).split('\n')).toEqual([
    font,
    icon,
    data,
    `<script type="module" crossorigin src="/assets/main-1.js" integrity="${computeHash('bytes of /assets/main-1.js')}"></script>`,
    `<link rel="modulepreload" crossorigin href="/assets/part-1.js" integrity="${computeHash('bytes of /assets/part-1.js')}">`,
    `<link rel="stylesheet" crossorigin href="/assets/main-1.css" integrity="${computeHash('bytes of /assets/main-1.css')}">`,
  ]);
});
