import { esc, page } from '../core/page.ts';
import type { KeypadResult } from './doors.ts';
import type { Lock } from './site.ts';

const SHOWN = 10;

/** Renders a keypad: digit buttons, an input, a status lamp and the lock's log. Works without JavaScript too. */
export function doorPage(lock: Lock, now: Date, result: KeypadResult | null): Response {
  const entries = lock.log
    .slice(0, SHOWN)
    .map(
      (entry) =>
        `<tr><td>${esc(sydney(entry.entryDate * 1000))}</td><td class="${entry.opened ? 'good' : 'bad'}">${esc(entry.opened ? 'Opened' : entry.reason)}</td></tr>`,
    )
    .join('');
  return page(
    `Door of ${lock.name}`,
    `<section class="keypad"><h1>Door of ${esc(lock.name)}</h1>
${lamp(result)}
<form method="post"><label for="pin">PIN</label>
<input id="pin" name="pin" type="text" inputmode="numeric" autocomplete="off" required pattern="[0-9]{1,10}" maxlength="10" title="1 to 10 digits" autofocus>
<div class="keys" role="group" aria-label="Keypad" hidden>${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => `<button type="button" class="quiet" data-key="${digit}">${digit}</button>`).join('')}<button type="button" class="quiet" data-key="clear" aria-label="Clear">C</button><button type="button" class="quiet" data-key="0">0</button><button type="button" class="quiet" data-key="back" aria-label="Delete the last digit">⌫</button></div>
<button class="enter">Enter</button></form>
<p>Sandbox clock: ${esc(sydney(now.getTime()))} in Sydney. Battery: ${lock.battery} %.</p></section>
<section><h2>Log</h2><table><tr><th>Time</th><th>Event</th></tr>${entries || '<tr><td colspan="2">No entries yet.</td></tr>'}</table></section>
<script>${SCRIPT}</script>`,
    `<style>${STYLE}</style>`,
  );
}

function lamp(result: KeypadResult | null): string {
  if (!result)
    return '<p class="lamp" role="status"><span class="bulb" aria-hidden="true"></span><span>Enter your PIN.</span></p>';
  const reason = result.opened ? '' : ` <span class="reason">${esc(result.reason)}</span>`;
  return `<p class="lamp ${result.opened ? 'green' : 'red'}" role="status"><span class="bulb" aria-hidden="true"></span><span><strong>${result.opened ? 'The door opens' : 'The door stays shut'}</strong>${reason}</span></p>`;
}

function sydney(at: number): string {
  return new Intl.DateTimeFormat('en-AU', {
    timeZone: 'Australia/Sydney',
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  }).format(at);
}

const STYLE = `.keypad{max-width:420px;margin:0 auto 18px}.lamp{display:flex;gap:14px;align-items:center;padding:14px;border-radius:10px;background:#eef2f4;min-height:76px}
.bulb{flex:none;width:30px;height:30px;border-radius:50%;background:#5a6a73;border:3px solid #fff;box-shadow:0 0 0 2px #5a6a73}
.green{background:#dff3e4;color:#0a5526}.green .bulb{background:#19a74b;box-shadow:0 0 0 2px #0c6b2f,0 0 18px #19a74b}
.red{background:#fbe3e1;color:#8c110a}.red .bulb{background:#d92b20;box-shadow:0 0 0 2px #8c110a,0 0 18px #d92b20}
.reason{display:block}.keypad input{font-size:30px;letter-spacing:6px;text-align:center;padding:12px}
.keys{display:grid;grid-template-columns:repeat(3,1fr);gap:10px;margin-top:12px}.keys[hidden]{display:none}.keys button{font-size:26px;min-height:64px;margin:0;touch-action:manipulation}
.enter{width:100%;min-height:60px;font-size:20px;margin:12px 0 0}`;

const SCRIPT = `const pin = document.getElementById('pin'), keys = document.querySelector('.keys');
keys.hidden = false;
keys.addEventListener('click', (event) => {
  const key = event.target.closest('button')?.dataset.key;
  if (!key) return;
  if (key === 'clear') pin.value = '';
  else if (key === 'back') pin.value = pin.value.slice(0, -1);
  else if (pin.value.length < 10) pin.value += key;
});`;
