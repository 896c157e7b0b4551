import type { ReactNode } from 'react';
import { useFrozen } from '#web/lib/use-stable.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

/**
 * Shows what will happen and asks for confirmation. A refusal stays on the screen. While the request is being sent, the text does not
 * change.
 */
export function ConfirmStep({
  button,
  tone = 'danger',
  busy,
  problem,
  onConfirm,
  onBack,
  children,
}: {
  button: string;
  /** The style of the button. `signal` is for actions that have no drawback for anyone. */
  tone?: 'danger' | 'signal';
  busy: boolean;
  problem: string | null;
  onConfirm: () => void;
  onBack: () => void;
  children: ReactNode;
}) {
  const words = useFrozen(children, busy);
  return (
    <div role="group" aria-label="Confirm" className="space-y-4">
      <div className="space-y-1 border-l-4 border-signal bg-deck p-4">{words}</div>
      {problem === null ? null : (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      )}
      <div className="flex flex-wrap gap-3">
        <Button tone={tone} busy={busy} onClick={onConfirm}>
          {button}
        </Button>
        <Button tone="plain" disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}
