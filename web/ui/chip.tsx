import type { ReactNode } from 'react';

const TONES = {
  plain: 'border-edge text-fog',
  good: 'border-good text-good',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
  signal: 'border-signal text-signal',
} as const;

/** Shows a state in one or two words. The colour only supports the words. */
export function Chip({ tone = 'plain', children }: { tone?: keyof typeof TONES; children: ReactNode }) {
  return (
    <span className={`inline-block border px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${TONES[tone]}`}>
      {children}
    </span>
  );
}

const COLOURS = { plain: 'text-fog', good: 'text-good', warn: 'text-warn', bad: 'text-bad' } as const;

/** Shows a bar for each step, filled for the `done` ones, and a label for the last of these. */
export function StepBars({
  steps,
  done,
  label,
  tone,
}: {
  steps: readonly string[];
  done: number;
  label: string;
  tone: keyof typeof COLOURS;
}) {
  return (
    <span className={`inline-flex items-center gap-3 font-semibold ${COLOURS[tone]}`}>
      <span className="flex gap-1" aria-hidden="true">
        {steps.map((step, index) => (
          <i key={step} title={step} className={`h-4 w-1.5 ${index < done ? 'bg-current' : 'bg-line'}`} />
        ))}
      </span>
      {label}
    </span>
  );
}
