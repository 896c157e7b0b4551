/**
 * Where a mailed link leads: a page whose button acts, because mail scanners open links too (decisions T-14). Ends in `?` or `&`. A kind
 * that is none leads to the page of sign-ups.
 */
export function linkPage(kind: string): string {
  return kind === 'recovery' || kind === 'invite' ? '/auth?reset=true&' : '/email-verified?';
}

const KINDS: readonly string[] = ['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email'];
/** The kind a link may carry; anything else is read as a sign-up's. */
export function linkKind(request: string): string {
  return KINDS.includes(request) ? request : 'signup';
}

/**
 * The address of a mailed link. `redirectTo`: an allowed page of another app, which verifies the token itself, as a page that only opens
 * must not; null: our own page.
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
