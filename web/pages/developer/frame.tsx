import type { ReactNode } from 'react';
import { developerPaths, paths } from '#web/lib/paths.ts';
import { Link, useLocation } from '#web/router/router.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Frame and menu of the developer pages. */
export function Frame({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Shell back={{ to: paths.admin, label: 'Admin' }} title={title} lead={<p>{lead}</p>} wide>
      <nav aria-label="Developer pages" className="mb-10 flex flex-wrap gap-x-6 border-y border-line">
        {developerPaths.map((entry) => (
          <Link
            key={entry.path}
            to={entry.path}
            aria-current={entry.path === pathname ? 'page' : undefined}
            className="inline-flex min-h-12 items-center text-sm font-semibold text-fog hover:text-chalk aria-[current]:text-signal"
          >
            {entry.label}
          </Link>
        ))}
      </nav>
      {children}
    </Shell>
  );
}
