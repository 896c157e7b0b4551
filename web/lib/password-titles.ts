/** Returns the title, fixed by the specification, for an invalid field of a new password. */
export const titleOfPassword = (field: string): string =>
  field === 'confirm' ? 'Password mismatch' : 'Password too short';
