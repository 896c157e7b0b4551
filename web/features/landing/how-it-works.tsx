import type { ReactNode } from 'react';

/**
 * Three steps from choosing hours to the open door. Their pictures are drawn as they scroll into view if the browser supports it
 * (styles.css), and stand still otherwise.
 */
export function HowItWorks() {
  return (
    <section aria-labelledby="how-it-works">
      <h2 id="how-it-works" className="text-title">
        How it works
      </h2>
      <ol className="mt-8 grid gap-x-6 gap-y-12 sm:mt-12 md:grid-cols-3">
        <Step
          number={1}
          title="Pick your hours"
          text="A room, a day, any hours back to back. You see the price before you pay."
        >
          <Hours />
        </Step>
        <Step
          number={2}
          title="Show your ID once"
          text="A photo of your licence the first time. Then you pay by card, and the room is yours."
        >
          <Licence />
        </Step>
        <Step
          number={3}
          title="Open the door"
          text="Your PIN comes 15 minutes before you start. Type it in, walk in, play."
        >
          <Keypad />
        </Step>
      </ol>
    </section>
  );
}

function Step({ number, title, text, children }: { number: number; title: string; text: string; children: ReactNode }) {
  return (
    <li className="step">
      <svg viewBox="0 0 240 140" aria-hidden="true" className="w-full bg-booth text-edge" fill="none" strokeWidth="3">
        {children}
      </svg>
      <h3 className="mt-6 flex gap-3 text-2xl">
        <span className="text-signal">{number}</span>
        {title}
      </h3>
      <p className="mt-2 max-w-sm text-fog">{text}</p>
    </li>
  );
}

/** Hours of a day, three of which are chosen. */
function Hours() {
  return [0, 1, 2].map((row) =>
    [0, 1, 2, 3, 4].map((column) => {
      const at = [
        [1, 1],
        [1, 2],
        [1, 3],
      ].findIndex(([r, c]) => r === row && c === column);
      return (
        <g key={`${row} ${column}`} transform={`translate(${30 + column * 37} ${22 + row * 33})`}>
          <rect width="32" height="28" stroke="currentColor" strokeWidth="2" className="text-line" />
          {at === -1 ? null : <rect data-step={at + 1} width="32" height="28" className="fill-signal" />}
        </g>
      );
    }),
  );
}

/** A licence that is read line by line and accepted. */
function Licence() {
  return (
    <>
      <rect x="52" y="30" width="136" height="82" rx="7" stroke="currentColor" />
      <circle cx="82" cy="60" r="11" stroke="currentColor" />
      <path d="M66 92c2-13 30-13 32 0" stroke="currentColor" />
      {[54, 70, 86].map((y, index) => (
        <path key={y} d={`M116 ${y}h${[54, 40, 48][index]}`} data-step={index + 1} className="stroke-chalk" />
      ))}
      <g data-step="4">
        <circle cx="188" cy="108" r="17" className="fill-signal" />
        <path d="M180 108l6 6 11-12" className="stroke-ink" strokeWidth="4" />
      </g>
    </>
  );
}

/** A keypad on which four digits are typed, and a door next to it that opens. */
function Keypad() {
  return (
    <>
      <rect x="40" y="26" width="66" height="92" rx="7" stroke="currentColor" />
      {Array.from({ length: 9 }, (_, index) => {
        const typed = [0, 4, 5, 7].indexOf(index) + 1;
        const [x, y] = [57 + (index % 3) * 16, 50 + Math.floor(index / 3) * 20];
        return (
          <g key={index}>
            <circle cx={x} cy={y} r="4.5" className="fill-line" />
            {typed === 0 ? null : <circle cx={x} cy={y} r="5.5" data-step={typed} className="fill-signal" />}
          </g>
        );
      })}
      <path d="M136 118V26h64v92" stroke="currentColor" />
      <g data-step="5">
        <path d="M136 26l38 14v90l-38-12z" className="fill-night stroke-signal" />
        <circle cx="166" cy="86" r="3" className="fill-signal" />
      </g>
      <path d="M124 118h92" stroke="currentColor" />
    </>
  );
}
