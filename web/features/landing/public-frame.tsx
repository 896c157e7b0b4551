import type { ReactNode } from 'react';
import { venue } from '#rules/venue.ts';
import { Footer } from './footer.tsx';
import { Navigation } from './navigation.tsx';

/** Frame of a public page: navigation, headline, text, footer. */
export function PublicFrame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <>
      <title>{`${title} · ${venue.name}`}</title>
      <Navigation />
      <main className="px-4 pt-10 pb-24 sm:px-8 sm:pt-16">
        <h1 className="text-poster leading-[0.86]">{title}</h1>
        {lead ? <div className="mt-6 max-w-prose text-xl text-fog">{lead}</div> : null}
        {children}
      </main>
      <Footer />
    </>
  );
}

/** Shows sections of text, with titles at the side on wide screens. */
export function Articles({ sections }: { sections: readonly { readonly title: string; readonly text: ReactNode }[] }) {
  return (
    <div className="mt-12 border-t border-line sm:mt-16">
      {sections.map((section) => (
        <section
          key={section.title}
          className="grid gap-x-8 gap-y-3 border-b border-line py-8 md:grid-cols-[18rem_1fr]"
        >
          <h2 className="text-2xl">{section.title}</h2>
          <div className="max-w-prose space-y-3 text-fog">{section.text}</div>
        </section>
      ))}
    </div>
  );
}
