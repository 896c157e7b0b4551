import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { sharedChunk } from './build/shared-chunks.ts';

/** Libraries rarely change, so they get their own chunks. bench/web/main.ts measures these separately. */
const library = (name: string, packages: string) => ({
  name: `library-${name}`,
  test: new RegExp(`node_modules/(${packages})/`),
  // A chunk also takes what its files import, so the libraries come first.
  priority: 3,
});

/** Files that pages with data share. The first page has no data, but shows the pictures of the rooms. */
const SHARED = /\/(web\/(data|lib|ui)\/|rules\/(?!business\/room-picture))/;
/** Files that the booking page shares with other pages in addition. In separate files these parts compress worse. */
const SHARED_BY_BOOKING = new RegExp(
  `${SHARED.source}|/web/features/(coupons/(queries|use-coupon)|identity/queries|studios/queries|days/free-words)\\.tsx?$`,
);

/** Pages that are usually opened from a mail and rarely from another page. */
const OPENED_DIRECTLY = ['unsubscribe', 'email-verified', 'undo-email', 'staff-invitation', 'crew'];
const developerPages = readdirSync(join(import.meta.dirname, 'web', 'pages', 'developer')).map((file) =>
  file.replace(/\..*/, ''),
);
const listedInHtml = new RegExp(`^assets/(${[...OPENED_DIRECTLY, ...developerPages].join('|')})-[0-9a-f]{8}\\.js$`);

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: {
      polyfill: false,
      // The first page loads the names of the parts of all other pages. These pages list theirs in their own HTML only.
      resolveDependencies: (file, needed) => (listedInHtml.test(file) ? [] : needed),
    },
    // build/site.ts reads there which files a page needs.
    manifest: true,
    rolldownOptions: {
      output: {
        // The first page loads the names of all chunks, and hexadecimal digits are shorter there when compressed. Eight are enough: names of one chunk
        // must differ between builds of a week.
        hashCharacters: 'hex',
        codeSplitting: {
          groups: [
            // Before all others: a chunk also takes what its files import.
            sharedChunk('start', { entry: 'start.ts', files: /./, priority: 4 }),
            library('react', 'react|react-dom|scheduler'),
            // Before the client, which holds it too.
            library('rows', '@supabase/postgrest-js|tslib'),
            library('supabase', '@supabase|iceberg-js'),
            library('query', '@tanstack'),
            library('zod', 'zod'),
            library('form', 'react-hook-form|@hookform|@standard-schema'),
            // The clock is needed before the calendar, which holds it too.
            library('days', '@date-fns'),
            library('calendar', 'react-day-picker|date-fns'),
            // What every page loads, and what pages with data load.
            sharedChunk('frame', { entry: 'main.tsx', files: /\/(web|rules)\//, priority: 2 }),
            // What the public pages share. In separate files these parts compress worse.
            sharedChunk('public', {
              entry: 'pages/landing.tsx',
              files:
                /\/(features\/landing\/(footer|info-table|navigation|rooms)|features\/studios\/room-picture|rules\/business\/room-picture)\.tsx?$/,
              priority: 1,
            }),
            sharedChunk('data', { entry: 'pages/booking/choose.tsx', files: SHARED_BY_BOOKING, priority: 1 }),
            // The files that the pages for an account's bookings share.
            sharedChunk('account', {
              entry: 'pages/bookings/one.tsx',
              files: SHARED,
              priority: 0,
            }),
          ],
        },
      },
    },
  },
});
