import { AUTOMATED_DECISIONS, type AutomatedDecision } from '#rules/business/automated-decisions.ts';
import { useBusiness } from '#web/lib/business/business.ts';

/**
 * The decisions that the program makes or prepares, which data each uses, and how to ask for a review. They are part of the program, so
 * that the texts of the business cannot omit them.
 */
export function AutomatedDecisions() {
  const { email } = useBusiness();
  return (
    <section aria-labelledby="decisions" className="mt-16">
      <h2 id="decisions" className="text-4xl">
        Decisions our program makes
      </h2>
      <div className="mt-4 max-w-prose space-y-3 text-fog">
        <p>
          Some answers on this site come from our program, without anyone looking at you or your booking first. Here is
          each of them, and what it knows about you when it decides.
        </p>
        <p>
          You can always ask for a person: email{' '}
          <a href={`mailto:${email}`} className="text-chalk underline decoration-edge underline-offset-4">
            {email}
          </a>{' '}
          with your name or your booking’s reference, and tell us what you think is wrong. Someone on our team looks at
          it themselves, can change the result, and answers you.
        </p>
      </div>
      <div className="mt-8 border-t border-line">
        {Object.entries(AUTOMATED_DECISIONS).map(([name, decision]) => (
          <Decision key={name} decision={decision} />
        ))}
      </div>
    </section>
  );
}

function Decision({ decision: { title, by, decides, uses, review } }: { decision: AutomatedDecision }) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-b border-line py-8 md:grid-cols-[18rem_1fr]">
      <div>
        <h3 className="text-2xl">{title}</h3>
        <p className="mt-2 text-sm text-dust">
          {by === 'program' ? 'Our program decides alone' : 'Our program helps a person decide'}
        </p>
      </div>
      <div className="max-w-prose space-y-3 text-fog">
        <p>{decides}</p>
        <p>
          <span className="text-chalk">What it uses:</span> {uses}.
        </p>
        <p>
          <span className="text-chalk">If you ask us:</span> {review}
        </p>
      </div>
    </section>
  );
}
