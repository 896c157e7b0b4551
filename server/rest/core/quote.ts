/** Quotes an identifier for SQL. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
