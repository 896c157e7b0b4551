import { Notice } from '#web/ui/notice.tsx';

/** The link is too old, used, or broken. */
export function UndoEnded() {
  return (
    <Notice tone="bad">
      <p>
        This link has expired or has already been used. It works for three days after the change. Write to us, and we’ll
        help you get back in.
      </p>
    </Notice>
  );
}
