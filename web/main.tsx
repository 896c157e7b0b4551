import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app.tsx';
import { fetchPage } from './routes.tsx';

// The page may not make code from text; zod, where it is fetched, is told so before it tries (its own key for that).
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
const app = <App route={(inside) => <BrowserRouter>{inside}</BrowserRouter>} />;

// A page that cannot be fetched is tried again when it is drawn, and says so then.
await fetchPage(window.location.pathname).catch(() => null);
// Printed whole, it is taken over as it stands; else it is drawn over whatever held its place. In small steps, between
// which the page answers.
startTransition(() => {
  if (root.dataset['printed'] === 'whole') hydrateRoot(root, app);
  else createRoot(root).render(app);
});
