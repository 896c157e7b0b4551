import type { ReactNode } from 'react';

const TONES = {
  plain: 'border-edge text-fog',
  good: 'border-good text-good',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
  signal: 'border-signal text-signal',
} as const;

/** Shows a state in one or two words; the colour only supports them. */
export function Chip({ tone = 'plain', children }: { tone?: keyof typeof TONES; children: ReactNode }) {
  return (
    <span className={`inline-block border px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${TONES[tone]}`}>
      {children}
    </span>
  );
}
