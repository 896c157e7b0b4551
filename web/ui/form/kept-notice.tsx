import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';

/** Says that a form has unsaved changes from before, and discards them on request. */
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
        Discard the changes
      </Button>
    </Notice>
  );
}
