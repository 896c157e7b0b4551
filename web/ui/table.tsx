import type { ReactNode } from 'react';

/** A table of few columns. On a phone each row becomes a card that names its own cells (`data-label` on each `Cell`). */
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
    <table className="w-full border-collapse text-left max-md:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-sm text-dust">
          {columns.map((name) => (
            <th key={name} scope="col" className="py-3 pr-4 font-semibold">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">{children}</tbody>
    </table>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return <tr className="border-b border-line align-top max-md:block max-md:py-3">{children}</tr>;
}

/** `label` repeats the column's name where there are no columns. */
export function Cell({ label, children, className = '' }: { label: string; children: ReactNode; className?: string }) {
  return (
    <td
      data-label={label}
      className={`py-3 pr-4 max-md:flex max-md:justify-between max-md:gap-6 max-md:py-1.5 max-md:pr-0 max-md:before:shrink-0 max-md:before:text-sm max-md:before:text-dust max-md:before:content-[attr(data-label)] ${className}`}
    >
      {children}
    </td>
  );
}
