import { esc } from '../../core/page.ts';

const STYLE = `:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#f3f1fa;color:#1d1b2e}
main{max-width:480px;margin:0 auto;padding:24px 16px 48px}
.card{background:#fff;border:1px solid #ddd8ee;border-radius:16px;padding:24px;margin:0 0 16px}
.tag{display:inline-block;background:#4b3fa8;color:#fff;font-size:13px;font-weight:600;border-radius:999px;padding:3px 12px;margin:0 0 16px}
h1{font-size:22px;line-height:1.25;margin:0 0 4px}h2{font-size:16px;margin:0 0 8px}.amount{font-size:40px;font-weight:700;margin:0;line-height:1.2}
p{margin:0 0 12px}.quiet-text{color:#5d5878}
dl{margin:16px 0 0;display:grid;grid-template-columns:1fr auto;gap:6px 16px}dt,dd{margin:0}
label{display:block;font-weight:600;margin:14px 0 4px}
input,select{font:inherit;width:100%;min-height:48px;padding:10px 12px;border:1px solid #8a84a8;border-radius:10px;background:#fff;color:inherit}
.pair{display:grid;align-items:end;grid-template-columns:1fr 1fr;gap:12px}
button,.button{font:inherit;font-weight:600;display:block;width:100%;min-height:48px;padding:11px 16px;margin:16px 0 0;border-radius:10px;border:1px solid #4b3fa8;background:#4b3fa8;color:#fff;text-align:center;text-decoration:none;cursor:pointer}
.plain{background:#fff;color:#4b3fa8}
:focus-visible{outline:3px solid #f2a900;outline-offset:2px}
a{color:#4b3fa8}ul{list-style:none;margin:0;padding:0}li{padding:10px 0;border-top:1px solid #ece8f6}li:first-child{border:0}
.problem{background:#fdecea;border:1px solid #d9776c;color:#8c1810;border-radius:10px;padding:12px 14px;font-weight:600}
.note{font-size:14px;color:#5d5878}`;

/** Renders a hosted page: narrow, for a phone, without JavaScript or external resources. */
export function hostedPage(title: string, tag: string, body: string, status = 200): Response {
  return new Response(
    `<!doctype html><html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${esc(title)}</title><style>${STYLE}</style></head><body><main><span class="tag">${esc(tag)}</span>${body}</main></body></html>`,
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

/** Redirects after a form with 303, so that reloading does not send it again. */
export function seeOther(to: string): Response {
  return new Response(null, { status: 303, headers: { location: to } });
}
