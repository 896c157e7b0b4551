import type { PreviewData, Previews } from '../preview-data.ts';

/** Renders the text message with a one-time code. `minutes`: how long the code is valid. */
export function codeTextMessage(input: { from: string; code: string; minutes: number }): string {
  return `${input.code} is your ${input.from} code. It works for ${input.minutes} minutes. Don’t share it with anyone.`;
}
codeTextMessage.previews = ({ from }: PreviewData): Previews<typeof codeTextMessage> => ({
  '': [{ from: from.name, code: '402917', minutes: 60 }],
});
