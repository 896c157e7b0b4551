/** Returns the query of the booking page that chooses a room, `?room=…`. On its own, because the first page needs nothing else of the rules of hours. */
export const roomQuery = (studioId: string): string => `?room=${encodeURIComponent(studioId)}`;
