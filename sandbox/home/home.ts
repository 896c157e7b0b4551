import { Hono } from 'hono';
import { createCoreControl, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc, page } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';

/** Serves the home port: one page for people, and the control API for scripts. */
export function createHome(core: Core, providers: readonly Provider[]): Hono {
  const home = new Hono();
  home.route('/api', createCoreControl(core, providers));
  for (const provider of providers) {
    home.route('/api', provider.control);
    if (provider.pages) home.route('/', provider.pages);
  }
  home.get('/', () => {
    for (const provider of providers) provider.runDue?.();
    return homePage(core, providers);
  });
  home.notFound((c) =>
    c.req.path.startsWith('/api/')
      ? refusal(`the control API has no ${c.req.method} ${c.req.path}`, 404)
      : page('Not found', '<section><h1>Page not found</h1><a href="/">Home</a></section>', '', 404),
  );
  return home;
}

function homePage(core: Core, providers: readonly Provider[]): Response {
  const faults = core.faults.list();
  const armed = faults.map((fault) => `<li>${esc(fault.provider)}: ${esc(fault.kind)}</li>`).join('');
  const lost = core.deliveries.list(null).filter((delivery) => delivery.state === 'failed').length;
  return page(
    'Sandbox',
    `<h1>Sandbox</h1>
<p class="note">The outside services are simulated here: cards, licences, doors, lights and mail. The sandbox clock shows <time>${esc(`${core.now().toISOString().slice(0, 19).replace('T', ' ')} UTC`)}</time>. Scripts can use <code>/api</code>.</p>
${armed ? `<section><h2>Active faults</h2><ul>${armed}</ul></section>` : ''}${lost > 0 ? `<p class="note">${lost} ${lost === 1 ? 'webhook' : 'webhooks'} never arrived; see <code>/api/webhooks</code>.</p>` : ''}
${providers.map((provider) => provider.panel()).join('\n')}`,
  );
}
