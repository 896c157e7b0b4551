import { venue } from '#rules/venue.ts';

/** Writes the text message of a one-time code. `minutes`: how long it is valid. */
export function codeTextMessage(input: { code: string; minutes: number }): string {
  return `${input.code} is your ${venue.name} code. It works for ${input.minutes} minutes. Don’t share it with anyone.`;
}
