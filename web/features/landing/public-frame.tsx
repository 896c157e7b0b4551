import { Fragment, type ReactNode } from 'react';
import { type Article, fillText } from '#rules/business/business.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Footer } from './footer.tsx';
import { Navigation } from './navigation.tsx';

/** Frame of a public page: navigation, headline, text, footer. */
export function PublicFrame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const business = useBusiness();
  return (
    <>
      <title>{`${title} · ${business.name}`}</title>
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

/** Shows articles. On wide screens their titles are at the side. */
export function Articles({ articles }: { articles: readonly Article[] }) {
  return (
    <div className="mt-12 border-t border-line sm:mt-16">
      {articles.map((article) => (
        <section
          key={article.title}
          className="grid gap-x-8 gap-y-3 border-b border-line py-8 md:grid-cols-[18rem_1fr]"
        >
          <h2 className="text-2xl">{article.title}</h2>
          <div className="max-w-prose space-y-3 text-fog">
            {article.text.split(/\n{2,}/).map((paragraph) => (
              <p key={paragraph} className="whitespace-pre-line">
                <Linked text={paragraph} />
              </p>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Shows a text with the details of the business filled in, and its email address as a link. */
function Linked({ text }: { text: string }) {
  const business = useBusiness();
  const [first = '', ...others] = text.split('{email}').map((part) => fillText(part, business));
  return (
    <>
      {first}
      {others.map((part, index) => (
        // Its order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          <a href={`mailto:${business.email}`} className="text-chalk underline decoration-edge underline-offset-4">
            {business.email}
          </a>
          {part}
        </Fragment>
      ))}
    </>
  );
}
