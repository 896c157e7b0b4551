import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';

/** Shows that a form has restored, unsaved changes, and discards them on request. */
export function KeptNotice({
  text = 'Your changes are still here. They are not saved yet.',
  onDiscard,
}: {
  text?: string;
  onDiscard: () => void;
}) {
  return (
    <Notice tone="plain">
      <p>{text}</p>
      <Button tone="plain" className="mt-3" onClick={onDiscard}>
        Discard changes
      </Button>
    </Notice>
  );
}
