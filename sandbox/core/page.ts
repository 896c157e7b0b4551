/** Renders a page of the sandbox. It looks plain and unlike the product, so that the two are not confused. */
export function page(title: string, body: string, extraHead = '', status = 200): Response {
  const html = `<!doctype html><html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${esc(title)}</title>${extraHead}<style>
:root{color-scheme:light}*{box-sizing:border-box}body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#eef2f4;color:#12202a}
header{background:#12384c;color:#fff;padding:12px 20px;display:flex;gap:16px;flex-wrap:wrap;align-items:baseline}header a{color:#cfe6f2}header strong{font-size:18px}
main{max-width:900px;margin:0 auto;padding:20px}section{background:#fff;border:1px solid #ccd7dd;border-radius:10px;padding:18px;margin:0 0 18px}h1{font-size:26px;margin:8px 0 16px}h2{font-size:18px;margin:0 0 10px}table+h2{margin-top:18px}
label{display:block;margin:10px 0 4px;font-weight:600}input,select{font:inherit;padding:10px;border:1px solid #8ba1ad;border-radius:6px;width:100%}
button,.button{font:inherit;font-weight:600;padding:11px 18px;border-radius:6px;border:1px solid #12384c;background:#12384c;color:#fff;cursor:pointer;text-decoration:none;display:inline-block;margin:6px 6px 0 0}button.quiet,.button.quiet{background:#fff;color:#12384c}
table{border-collapse:collapse;width:100%}td,th{overflow-wrap:anywhere;text-align:left;padding:7px 8px;border-bottom:1px solid #e1e8ec;vertical-align:top}.note{background:#fff6d8;border:1px solid #e4cf82;padding:10px 14px;border-radius:8px}.bad{color:#a3140c;font-weight:600}.good{color:#0c6b2f;font-weight:600}.big{font-size:34px;font-weight:700}pre{white-space:pre-wrap;word-break:break-word}
</style></head><body><header><strong>Sandbox</strong><a href="/">Home</a><span>Simulated payments, locks, lights and mail. No money moves and no door opens.</span></header><main>${body}</main></body></html>`;
  return new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

export function esc(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** Formats cents: "$118.00". */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
