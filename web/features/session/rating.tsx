import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mayRate } from '#rules/business/feedback.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { type Feedback, rate, type FeedbackState } from './feedback-queries.ts';

const SCORES = [
  [1, 'Bad'],
  [2, 'Not great'],
  [3, 'Okay'],
  [4, 'Good'],
  [5, 'Superb'],
] as const;

/** A question after a session: a rating from 1 to 5 with an optional sentence. It can be changed for a week. */
export function Rating({ booking, rating, now }: { booking: FeedbackState; rating: Feedback['rating']; now: Date }) {
  const [changing, setChanging] = useState(false);
  if (!mayRate({ end: booking.endTime }, rating?.createdAt ?? null, now) && rating === null) return null;
  return (
    <section
      id="how-was-it"
      aria-labelledby="rating"
      className="scroll-mt-6 border-l-4 border-signal bg-booth p-5 sm:p-6"
    >
      <h2 id="rating" className="text-2xl">
        {rating === null ? `Thanks for playing. How was ${booking.studioName}?` : 'Thanks for telling us'}
      </h2>
      {rating !== null && !changing ? (
        <>
          <p className="mt-2">
            You said {rating.score} of 5{rating.words === null ? '.' : `: “${rating.words}”`}
          </p>
          {mayRate({ end: booking.endTime }, rating.createdAt, now) ? (
            <Button tone="plain" className="mt-4" onClick={() => setChanging(true)}>
              Change it
            </Button>
          ) : null}
        </>
      ) : (
        <Question booking={booking} rating={rating} onDone={() => setChanging(false)} />
      )}
    </section>
  );
}

function Question({
  booking,
  rating,
  onDone,
}: {
  booking: FeedbackState;
  rating: Feedback['rating'];
  onDone: () => void;
}) {
  const [score, setScore] = useState(rating?.score ?? null);
  const [words, setWords] = useState(rating?.words ?? '');
  const send = useMutation({
    mutationFn: (chosen: number) => rate(booking.id, chosen, words.trim() === '' ? null : words.trim()),
    meta: { handled: true, invalidates: [queryKeys.ownFeedback.all] },
    onSuccess: onDone,
  });
  return (
    <>
      <fieldset className="mt-4">
        <legend className="sr-only">From 1 to 5</legend>
        <div className="grid grid-cols-5 gap-2 sm:max-w-lg">
          {SCORES.map(([value, name]) => (
            <label
              key={value}
              className="flex min-h-16 cursor-pointer flex-col items-center justify-center border-2 border-edge bg-deck p-1 text-2xl font-extrabold hover:border-chalk has-checked:border-signal has-checked:bg-signal has-checked:text-ink has-focus-visible:outline-4 has-focus-visible:outline-offset-2"
            >
              <input
                type="radio"
                name="score"
                className="sr-only"
                checked={score === value}
                onChange={() => setScore(value)}
              />
              {value}
              <span className="text-center text-xs leading-tight font-normal">{name}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {score === null ? null : (
        <div className="mt-4 space-y-4">
          <Field
            label="One sentence, if you like"
            maxLength={500}
            autoComplete="off"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <Button busy={send.isPending} onClick={() => send.mutate(score)}>
            Send
          </Button>
        </div>
      )}
      <Failure action={send} text="We couldn’t send that. Please try again." className="mt-3 text-sm text-bad" />
    </>
  );
}
