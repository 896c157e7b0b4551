/** Earlier names of variables, with their current names. */
const RENAMED = [
  ['ACCESS_TOKEN_SECONDS', 'AUTH_ACCESS_TOKEN_SECONDS'],
  ['AUTOCONFIRM', 'AUTH_AUTOCONFIRM'],
  ['MAIL_INTERVAL_SECONDS', 'AUTH_MAIL_MIN_SECONDS'],
  ['PASSWORD_MIN_LENGTH', 'AUTH_PASSWORD_MIN_LENGTH'],
] as const;

/** Accepts renamed variables under their earlier names if the current name is not set. Adds a line to `warnings` for each. */
export function withRenamed(
  variables: Readonly<Record<string, string | undefined>>,
  warnings: string[],
): Record<string, string | undefined> {
  const named = { ...variables };
  for (const [old, now] of RENAMED) {
    if (named[old] === undefined) continue;
    warnings.push(`${old}: is now called ${now}${named[now] === undefined ? '' : ', which is set too and counts'}`);
    named[now] ??= named[old];
    delete named[old];
  }
  return named;
}
