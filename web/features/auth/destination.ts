/** Returns where to go after signing in: an unfinished booking comes first. */
export function destination(known: {
  hasDraft: boolean;
  hasSelection: boolean;
  from: string | null;
  justVerified: boolean;
}): string {
  if (known.hasDraft) return '/checkout';
  if (known.hasSelection) return '/booking';
  if (known.from !== null) return known.from;
  return known.justVerified ? '/profile' : '/';
}
