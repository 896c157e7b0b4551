/** Style of a button for one-handed use at night: black on white, and as wide as a phone's screen. */
export const bigButton =
  'inline-flex min-h-16 w-full items-center justify-center gap-3 border-2 border-black bg-white px-5 text-xl font-bold text-black disabled:opacity-50 sm:w-auto sm:min-w-64 forced-colors:border-[ButtonText]';
/** Style of the main button. */
export const mainButton = bigButton.replace('bg-white px-5', 'bg-black px-5').replace('text-black', 'text-white');
