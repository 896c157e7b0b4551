/**
 * Returns the rows, whose columns with these names are set. PostgreSQL does not say which columns of a view or of a function's result are never null,
 * so the generated types allow null in all of them. Throws if one is null all the same: without its row, a taken hour could look free.
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
