import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import base from './vite.config.ts';

/** `npm run dev`: the pages from their sources, everything else from the server bin/start.js has just started. */
const runtime = JSON.parse(readFileSync(join(process.env['DATA_DIR'] ?? 'data', 'runtime.json'), 'utf8')) as {
  apiUrl: string;
  anonKey: string;
};
const doors = ['/auth/v1', '/rest/v1', '/storage/v1', '/functions/v1', '/realtime/v1', '/healthz', '/readyz'];

export default mergeConfig(
  base,
  defineConfig({
    // As server/http/site.ts does for the built page.
    plugins: [
      {
        name: 'anon-key',
        transformIndexHtml: (html) => html.replaceAll('%ANON_KEY%', runtime.anonKey).replaceAll('%WALLETS%', ''),
      },
    ],
    server: { proxy: Object.fromEntries(doors.map((door) => [door, { target: runtime.apiUrl, ws: true }])) },
  }),
);
