/** Returns where to go after signing in: an unfinished booking comes first. */
export function destination(state: {
  hasDraft: boolean;
  hasSelection: boolean;
  from: string | null;
  justVerified: boolean;
}): string {
  if (state.hasDraft) return '/checkout';
  if (state.hasSelection) return '/booking';
  if (state.from !== null) return state.from;
  return state.justVerified ? '/profile' : '/';
}
