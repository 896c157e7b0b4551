type Room = { readonly id: string; readonly name: string };

/** Returns the rooms that can be booked. Includes the room of the booking even if that room is retired. */
export const withOwnRoom = (
  rooms: readonly Room[],
  { studioId, studioName }: { readonly studioId: string; readonly studioName: string },
): readonly Room[] =>
  rooms.some(({ id }) => id === studioId) ? rooms : [...rooms, { id: studioId, name: studioName }];
