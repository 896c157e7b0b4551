import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import { esc } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createPlugs } from '../plug/plug.ts';

/** The plugs on their port, and whether their lights are on. */
export function createPlug(core: Core): Provider {
  const plugs = createPlugs({ core, state: core.state });
  const control = new Hono();
  control.get('/plugs', (c) => c.json(plugs.list()));
  return {
    name: 'plug',
    offset: 3,
    handle: (request) => plugs.handle(request),
    // A plug that is away does not answer at all.
    offline: () => Response.error(),
    control,
    panel: () =>
      `<section><h2>Lights</h2><table>${plugs
        .list()
        .map(
          (one) => `<tr><td>${esc(one.id)}</td><td class="${one.on ? 'good' : ''}">${one.on ? 'on' : 'off'}</td></tr>`,
        )
        .join('')}</table></section>`,
    reset() {
      for (const plug of plugs.list()) {
        void plugs.handle(new Request(`http://plug/${plug.id}/rpc/Switch.Set?id=0&on=false`));
        plug.history.length = 0;
      }
    },
    tick: () => void plugs.list(),
  };
}
