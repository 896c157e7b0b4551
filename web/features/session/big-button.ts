/** A button for one hand at night: black on white, as wide as the screen of a phone. */
export const bigButton =
  'inline-flex min-h-16 w-full items-center justify-center gap-3 border-2 border-black bg-white px-5 text-xl font-bold text-black disabled:opacity-50 sm:w-auto sm:min-w-64 forced-colors:border-[ButtonText]';
/** The one that matters most. */
export const mainButton = bigButton.replace('bg-white px-5', 'bg-black px-5').replace('text-black', 'text-white');
