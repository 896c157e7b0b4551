import type { ReactNode } from 'react';
import { formatDollars } from '#rules/money.ts';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import type { BookProblem } from './book-problem.ts';

/** Shows why Book Now failed and what the customer can do about it. */
export function ProblemNotice({
  problem,
  busy,
  holds,
  onAgree,
}: {
  problem: BookProblem;
  busy: boolean;
  /** The customer's holds, each with Finish paying and Release. */
  holds: ReactNode;
  /** Called when the customer agrees to another price, in dollars. */
  onAgree: (total: number) => void;
}) {
  const { text, total, draft } = problem;
  return (
    <>
      <Notice tone="bad">
        <p>{text}</p>
        {total === null ? null : (
          <Button tone="plain" className="mt-3" busy={busy} onClick={() => onAgree(total)}>
            Book for {formatDollars(total)}
          </Button>
        )}
        {draft === null ? null : (
          <Link to={paths.checkout} state={drafts.toState(draft)} className={`${buttonStyle.plain} mt-3`}>
            Use a photo of my licence
          </Link>
        )}
      </Notice>
      {problem.holds ? <div className="mt-3 space-y-3">{holds}</div> : null}
    </>
  );
}
