import { esc } from '../core/page.ts';

const STYLE = `:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#eef3ee;color:#14261a}
main{max-width:460px;margin:0 auto;padding:24px 16px 48px}
form,.card{background:#fff;border:1px solid #cfdcd1;border-radius:16px;padding:20px;margin:0 0 16px}
.tag{display:inline-block;background:#1d5c36;color:#fff;font-size:13px;font-weight:600;border-radius:999px;padding:3px 12px;margin:0 0 16px}
h1{font-size:24px;line-height:1.25;margin:0 0 4px}h2{font-size:16px;margin:0 0 8px}p{margin:0 0 16px}
label{display:block;font-weight:600;margin:14px 0 4px}.tick{font-weight:400}
input:not([type=checkbox]){font:inherit;width:100%;min-height:48px;padding:10px 12px;border:1px solid #7d9484;border-radius:10px}
button{font:inherit;font-weight:600;display:block;width:100%;min-height:48px;padding:11px 16px;margin:0 0 10px;border-radius:10px;border:1px solid #1d5c36;background:#fff;color:#14261a;text-align:left;cursor:pointer}
button small{display:block;font-weight:400;color:#48604f}
button.first{background:#1d5c36;color:#fff;text-align:center;margin:16px 0 0}button.plain{text-align:center;margin:0}
:focus-visible{outline:3px solid #f2a900;outline-offset:2px}
.problem{background:#fdecea;border:1px solid #d9776c;color:#8c1810;border-radius:10px;padding:12px 14px;font-weight:600}`;

/** Renders a page of the simulated identity provider: narrow, for a phone, without JavaScript. */
export function accountPage(title: string, body: string, status = 200): Response {
  return new Response(
    `<!doctype html><html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${esc(title)}</title><style>${STYLE}</style></head><body><main><span class="tag">Sandbox identity provider</span>${body}</main></body></html>`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    },
  );
}
