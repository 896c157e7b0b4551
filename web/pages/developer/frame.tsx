import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { developerPaths, paths } from '#web/lib/paths.ts';
import { Shell } from '#web/ui/shell.tsx';

/** Frame of the developer pages with their menu. */
export function Frame({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  return (
    <Shell back={{ to: paths.admin, label: 'Admin' }} title={title} lead={<p>{lead}</p>} wide>
      <nav aria-label="Developer pages" className="mb-10 flex flex-wrap gap-x-6 border-y border-line">
        {developerPaths.map((one) => (
          <NavLink
            key={one.path}
            to={one.path}
            className={({ isActive }) =>
              `inline-flex min-h-12 items-center text-sm font-semibold ${isActive ? 'text-signal' : 'text-fog hover:text-chalk'}`
            }
          >
            {one.label}
          </NavLink>
        ))}
      </nav>
      {children}
    </Shell>
  );
}
