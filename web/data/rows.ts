/**
 * Returns the rows in which these columns are set. PostgreSQL does not say which columns of a view or of a function's result are never null,
 * so the generated types allow null in all of them.
 */
export function rowsWith<Row extends object, Column extends keyof Row>(
  rows: readonly Row[],
  ...columns: readonly Column[]
): (Row & { readonly [C in Column]: NonNullable<Row[C]> })[] {
  return rows.filter((row): row is Row & { readonly [C in Column]: NonNullable<Row[C]> } =>
    columns.every((column) => row[column] !== null),
  );
}
