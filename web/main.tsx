import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Router } from './router/router.tsx';
import { App } from './app.tsx';
import { readPageData } from './lib/business/business.ts';
import { fetchPage } from './routes.tsx';

// The content security policy forbids eval, so turn off zod's JIT before zod loads.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
const app = <App data={readPageData()} route={(inside) => <Router>{inside}</Router>} />;

// If the page cannot be fetched, rendering tries again and shows the error.
await fetchPage(window.location.pathname).catch(() => null);
// Hydrate a page that is rendered in full; replace any other. A transition keeps the page responsive meanwhile.
startTransition(() => {
  if (root.dataset['rendered'] === 'whole') hydrateRoot(root, app);
  else createRoot(root).render(app);
});
