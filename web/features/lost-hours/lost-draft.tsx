import type { ComponentProps, ReactNode } from 'react';
import type { LostSelection } from '#web/data/drafts/lost-hours.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Notice } from '#web/ui/notice.tsx';
import { LostNotice } from './lost-notice.tsx';

/** Shown on the way to the payment: reports that the hours were lost or are free again. Shows nothing if they were never lost. */
export function LostDraft({
  state,
  children,
  ...notice
}: {
  state: { readonly lost: LostSelection | null; readonly recovered: boolean };
  children?: ReactNode;
} & Pick<ComponentProps<typeof LostNotice>, 'studios' | 'userId' | 'onTake'>) {
  const now = useNow(15_000);
  if (state.lost !== null)
    return (
      <LostNotice lost={state.lost} now={now} {...notice}>
        {children}
      </LostNotice>
    );
  return state.recovered ? (
    <Notice tone="good">
      <p>Good news: the hours you chose are free again.</p>
    </Notice>
  ) : null;
}
