import { useQuery } from '@tanstack/react-query';
import { formatStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { readRatings, type Ratings as AllRatings } from './queries.ts';

/** The ratings of sessions: the average of each room, and the newest ratings. */
export function Ratings() {
  const ratings = useQuery({ queryKey: queryKeys.ratings.of(), queryFn: readRatings, refetchInterval: 60_000 });
  return (
    <section aria-labelledby="ratings" className="mt-12">
      <h2 id="ratings" className="mb-4 text-2xl">
        Session ratings
      </h2>
      <p className="mb-4 text-sm text-fog">Averages of the last 90 days. Dates are in Sydney time.</p>
      <Loaded query={ratings} what="the ratings" why={describeLoadError} skeleton="h-32">
        {(data) => <Shown all={data} />}
      </Loaded>
    </section>
  );
}

function Shown({ all: { rooms, ratings } }: { all: AllRatings }) {
  if (ratings.length === 0) return <Empty>No ratings yet. Customers are asked by email after their session.</Empty>;
  return (
    <>
      <dl className="grid gap-3 sm:grid-cols-3">
        {rooms.map(({ studioId, studioName, count, average }) => (
          <div key={studioId} className="bg-booth p-4">
            <dt className="text-sm text-fog">
              {studioName}, {count} {count === 1 ? 'rating' : 'ratings'}
            </dt>
            <dd className="text-3xl font-extrabold tabular-nums">{average}</dd>
          </div>
        ))}
      </dl>
      <ol className="mt-4 space-y-px">
        {ratings.map(({ reference, studioName, startTime, score, words }) => (
          <li key={reference} className="flex flex-wrap items-baseline gap-x-4 bg-booth p-4">
            <strong className="tabular-nums">{score} of 5</strong>
            {words === null ? null : <span className="min-w-0 break-words">“{words}”</span>}
            <span className="text-sm text-fog">
              {studioName}, {formatStudioDate(startTime, 'medium')},{' '}
              <Link to={`${paths.admin}?booking=${reference}`} className="underline">
                {reference}
              </Link>
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
