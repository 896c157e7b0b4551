import { LayoutGrid, Rows3 } from 'lucide-react';
import type { View } from './view.ts';

const VIEWS = [
  { view: 'one', Icon: LayoutGrid, label: 'By room' },
  { view: 'all', Icon: Rows3, label: 'Compare' },
] as const;

/** Switches between one room and the timeline of all rooms. */
export function ViewSwitch({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  return (
    <div role="group" aria-label="View" className="flex max-sm:grow">
      {VIEWS.map(({ view: option, Icon, label }) => (
        <button
          key={option}
          type="button"
          aria-pressed={view === option}
          onClick={() => onChange(option)}
          className={`inline-flex min-h-12 items-center justify-center gap-2 border-2 px-4 text-sm font-semibold max-sm:grow max-sm:px-2 whitespace-nowrap not-first:-ml-0.5 hover:border-chalk hover:text-chalk ${view === option ? 'z-1 border-signal text-chalk' : 'border-line text-fog'}`}
        >
          <Icon aria-hidden="true" className={`size-4 ${view === option ? 'text-signal' : ''}`} />
          {label}
        </button>
      ))}
    </div>
  );
}
