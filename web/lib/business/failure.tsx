import { describeError } from '../errors.ts';

/** Shows why a mutation failed, in the words of the server, or in those of `text` if it has none. Otherwise shows nothing. */
export function Failure({
  action: { error },
  text,
  className = 'border-l-4 border-bad bg-deck p-4 sm:px-5',
}: {
  action: { readonly error: Error | null };
  text: string;
  className?: string;
}) {
  return error === null ? null : (
    <p role="alert" className={className}>
      {describeError(error, text)}
    </p>
  );
}
