/**
 * Returns the query of the booking page that chooses a room, `?room=…`. It has its own file because the first page needs no other rule
 * about hours.
 */
export const roomQuery = (studioId: string): string => `?room=${encodeURIComponent(studioId)}`;
