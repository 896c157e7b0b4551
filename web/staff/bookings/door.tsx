import { type Readiness, STEPS } from './readiness.ts';

const COLOURS = { plain: 'text-fog', good: 'text-good', warn: 'text-warn', bad: 'text-bad' } as const;

/** Four bars for the four steps of the code, and the last one in words. */
export function Door({ readiness: { done, label, tone } }: { readiness: Readiness }) {
  return (
    <span className={`inline-flex items-center gap-3 font-semibold ${COLOURS[tone]}`}>
      <span className="flex gap-1" aria-hidden="true">
        {STEPS.map((step, at) => (
          <i key={step} title={step} className={`h-4 w-1.5 ${at < done ? 'bg-current' : 'bg-line'}`} />
        ))}
      </span>
      {label}
    </span>
  );
}
