/**
 * Narrows the type of rows: these columns are never null. PostgreSQL does not report which columns of a view or of a function's result can
 * be null, so the generated types allow null in all of them. Throws if a value is null after all: if its row were left out, a taken hour
 * could look free.
 */
export function rowsWith<Row extends object, Column extends keyof Row>(
  rows: readonly Row[],
  ...columns: readonly Column[]
): (Row & { readonly [C in Column]: NonNullable<Row[C]> })[] {
  return rows.map((row) => {
    requireSet(row, columns);
    return row;
  });
}

function requireSet<Row extends object, Column extends keyof Row>(
  row: Row,
  columns: readonly Column[],
): asserts row is Row & { readonly [C in Column]: NonNullable<Row[C]> } {
  const missing = columns.find((column) => row[column] === null);
  if (missing !== undefined) throw new Error(`a row of the answer has no ${String(missing)}`);
}
