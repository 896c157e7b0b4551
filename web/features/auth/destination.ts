/** Where somebody goes once signed in: what they were about to book comes first (decisions T-12). */
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
