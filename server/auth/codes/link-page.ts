const KINDS: readonly string[] = ['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email'];
/** Returns the kind of a link. An unknown kind counts as a sign-up. */
export function linkKind(kind: string): string {
  return KINDS.includes(kind) ? kind : 'signup';
}

/**
 * Builds the address of a mailed link. `redirectTo`: an allowed page of another app, which must verify the token itself on a click, or null
 * for our own page.
 */
export function mailedLink(
  siteUrl: string,
  { kind, token, redirectTo }: { kind: string; token: string; redirectTo: string | null },
): string {
  if (redirectTo === null) return `${siteUrl}${linkPage(kind)}token_hash=${encodeURIComponent(token)}&type=${kind}`;
  const url = new URL(redirectTo);
  url.searchParams.set('token_hash', token);
  url.searchParams.set('type', kind);
  return url.href;
}

/**
 * Returns the page of a mailed link, ending in `?` or `&`. The page does nothing until its button is pressed, because mail scanners open
 * links too. All kinds but `recovery` and `invite` lead to `/email-verified`.
 */
function linkPage(kind: string): string {
  return kind === 'recovery' || kind === 'invite' ? '/auth?reset=true&' : '/email-verified?';
}
