import type { ReactNode } from 'react';

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand right, under one another. */
  readonly figures?: boolean;
  /** For buttons: no title above them on a phone. */
  readonly actions?: boolean;
};

/**
 * Rows under columns; on a phone each row is a card whose fields carry their titles.
 * Browsers of today keep a table a table for screen readers, however it is laid out.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    <table aria-label={label} className="block w-full text-left lg:table">
      <thead className="sr-only lg:not-sr-only lg:table-header-group">
        <tr className="lg:border-b-2 lg:border-chalk">
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={`py-3 pr-6 text-sm font-semibold text-fog ${column.figures ? 'lg:text-right' : ''}`}
            >
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block space-y-3 lg:table-row-group">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className="grid grid-cols-2 gap-x-4 gap-y-3 bg-booth sm:grid-cols-3 p-4 lg:table-row lg:border-b lg:border-line lg:bg-transparent lg:p-0"
          >
            {columns.map((column) => (
              <td
                key={column.key}
                className={`min-w-0 lg:table-cell lg:py-4 lg:pr-6 lg:align-middle ${column.actions ? 'col-span-full' : ''} ${column.figures ? 'tabular-nums lg:text-right' : ''}`}
              >
                {column.actions ? null : (
                  <span aria-hidden="true" className="block text-xs text-dust lg:hidden">
                    {column.title}
                  </span>
                )}
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
