import type { ComponentProps, ReactNode } from 'react';
import { Button } from '../button.tsx';

/** Asks for confirmation of a mutation: a button that starts it, and one that keeps everything as it is (`keep`). */
export function Confirm({
  action: { isPending, mutate },
  tone = 'danger',
  disabled = false,
  keep,
  onKeep,
  children,
}: Pick<ComponentProps<typeof Button>, 'tone'> & {
  action: { readonly isPending: boolean; readonly mutate: () => void };
  disabled?: boolean;
  keep: string;
  onKeep: () => void;
  children: ReactNode;
}) {
  return (
    <div className="flex flex-wrap gap-3">
      <Button tone={tone} busy={isPending} disabled={disabled} onClick={() => mutate()}>
        {children}
      </Button>
      <Button tone="plain" disabled={isPending} onClick={onKeep}>
        {keep}
      </Button>
    </div>
  );
}
