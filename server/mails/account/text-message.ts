/** Writes the text message of a one-time code. `minutes`: how long it is valid. */
export function codeTextMessage(input: { from: string; code: string; minutes: number }): string {
  return `${input.code} is your ${input.from} code. It works for ${input.minutes} minutes. Don’t share it with anyone.`;
}
