import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // build/site.ts reads there which files a page needs.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Libraries change seldom and are told apart in bench/web.ts.
          groups: [
            { name: 'library-react', test: /node_modules\/(react|react-dom|react-router|scheduler|cookie)\// },
            { name: 'library-supabase', test: /node_modules\/(@supabase|tslib|iceberg-js)\// },
            { name: 'library-query', test: /node_modules\/@tanstack\// },
            { name: 'library-zod', test: /node_modules\/zod\// },
            { name: 'library-form', test: /node_modules\/(react-hook-form|@hookform|@standard-schema)\// },
            // The clock is needed before the calendar, which holds it too.
            { name: 'library-days', test: /node_modules\/@date-fns\//, priority: 1 },
            { name: 'library-calendar', test: /node_modules\/(react-day-picker|date-fns)\// },
          ],
        },
      },
    },
  },
});
