import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';

type Tab = { readonly key: string; readonly label: string };

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * Tabs over one panel (WAI-ARIA tabs pattern), in rows on a wide screen. Arrow keys move, Home and End jump, and only the selected tab is
 * in the tab order.
 */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
  children,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (key: string) => void;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // The address may open a tab that is scrolled out of view.
  useEffect(() => showChosen(list.current), [value]);

  function walk(event: KeyboardEvent): void {
    const at = tabs.findIndex((tab) => tab.key === value);
    const step = STEPS[event.key];
    const target =
      event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : step === undefined ? null : at + step;
    const next = target === null ? undefined : tabs[(target + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.key);
    list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.key)}"]`)?.focus();
  }

  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex gap-1 overflow-x-auto border-b border-line lg:flex-wrap"
      >
        {tabs.map((tab) => {
          const chosen = tab.key === value;
          return (
            <button
              key={tab.key}
              type="button"
              role="tab"
              id={`${id}-${tab.key}`}
              data-tab={tab.key}
              aria-selected={chosen}
              aria-controls={`${id}-panel`}
              tabIndex={chosen ? 0 : -1}
              onKeyDown={walk}
              onClick={() => onChange(tab.key)}
              className={`-mb-px min-h-12 shrink-0 border-b-4 px-3 font-bold sm:px-4 -outline-offset-3 transition-colors ${chosen ? 'border-signal text-chalk' : 'border-transparent text-fog hover:text-chalk'}`}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className="pt-6">
        {children}
      </div>
    </>
  );
}

/** Scrolls the row of tabs so that the chosen tab is in the middle. */
function showChosen(list: HTMLElement | null): void {
  const chosen = list?.querySelector('[aria-selected="true"]');
  if (!list || !chosen) return;
  const [row, tab] = [list.getBoundingClientRect(), chosen.getBoundingClientRect()];
  list.scrollLeft += tab.left - row.left - (row.width - tab.width) / 2;
}
