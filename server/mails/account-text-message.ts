import { venue } from '#rules/venue.ts';

/** The text message of a code. `minutes`: its life. */
export function codeTextMessage(input: { code: string; minutes: number }): string {
  return `${input.code} is your ${venue.name} code. It is good for ${input.minutes} minutes. Never tell it to anybody.`;
}
