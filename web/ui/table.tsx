import type { ReactNode } from 'react';

/**
 * A table with few columns. On phones and tablets each row becomes a card with labelled cells (`label` of `Cell`).
 * Current browsers keep the table semantics for screen readers in any layout.
 */
export function Table({
  caption,
  columns,
  children,
}: {
  caption: string;
  columns: readonly string[];
  children: ReactNode;
}) {
  return (
    <table className="w-full border-collapse text-left max-lg:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-lg:sr-only">
        <tr className="border-b-2 border-edge text-sm text-fog">
          {columns.map((name) => (
            <th key={name} scope="col" className="py-3 pr-6 font-semibold">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-lg:block max-lg:space-y-3">{children}</tbody>
    </table>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="border-line max-lg:grid max-lg:grid-cols-2 max-lg:gap-4 max-lg:bg-booth max-lg:p-4 max-lg:sm:grid-cols-3 lg:border-b">
      {children}
    </tr>
  );
}

/** A cell. `label` repeats the column name in the card layout; '' for cells with buttons. */
export function Cell({ label, children, className = '' }: { label: string; children: ReactNode; className?: string }) {
  return (
    <td
      data-label={label}
      className={`min-w-0 max-lg:before:block max-lg:before:text-xs max-lg:before:text-dust max-lg:before:content-[attr(data-label)/''] lg:py-4 lg:pr-6 ${label === '' ? 'max-lg:col-span-full max-lg:before:hidden' : ''} ${className}`}
    >
      {children}
    </td>
  );
}

/** Looks of a list of facts. */
const FACTS = {
  /** Each fact on its own ground. */
  boxes: 'grid gap-px bg-line *:flex *:flex-wrap *:justify-between *:gap-x-6 *:bg-booth *:px-5 *:py-3 [&_dd]:font-bold',
  /** The items of a sum. */
  items: 'space-y-1.5 text-sm *:flex *:justify-between *:gap-4 [&_dd]:font-semibold',
  /** Names and values in two columns. */
  columns: 'grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 *:contents',
};

/** A list of facts, each with a name and a value. */
export function Facts({
  look,
  className = '',
  children,
}: {
  look: keyof typeof FACTS;
  className?: string;
  children: ReactNode;
}) {
  return <dl className={`${FACTS[look]} ${className}`}>{children}</dl>;
}

export function Fact({
  name,
  tone = 'plain',
  children,
}: {
  name: string;
  tone?: 'plain' | 'good' | 'strong';
  children: ReactNode;
}) {
  return (
    <div className={{ plain: '', good: 'text-good', strong: 'font-bold' }[tone]}>
      <dt className={`min-w-0 break-words ${tone === 'plain' ? 'text-fog' : ''}`}>{name}</dt>
      <dd className="min-w-0 break-words tabular-nums">{children}</dd>
    </div>
  );
}
