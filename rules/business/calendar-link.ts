/** Returns the address that adds a span to Google Calendar. */
export function googleCalendarUrl(entry: {
  readonly title: string;
  readonly start: Date;
  readonly end: Date;
  readonly details: string;
  readonly location: string;
}): string {
  const compact = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const query = {
    action: 'TEMPLATE',
    text: entry.title,
    dates: `${compact(entry.start)}/${compact(entry.end)}`,
    details: entry.details,
    location: entry.location,
  };
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `https://calendar.google.com/calendar/render?${parts.join('&')}`;
}
