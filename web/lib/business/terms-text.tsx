import { type BusinessTexts, fillText } from '#rules/business/business.ts';
import { termsDate } from '#rules/business/terms-date.ts';
import { useBusiness } from './business.ts';

/** Shows the terms in small type, with the date of their version. */
export function TermsText({ termsVersion, terms }: Pick<BusinessTexts, 'termsVersion' | 'terms'>) {
  const business = useBusiness();
  return (
    <>
      <p className="text-sm text-dust">Last updated: {termsDate(termsVersion)}</p>
      {terms.map((article) => (
        <section key={article.title}>
          <h3 className="mb-1 text-lg">{article.title}</h3>
          <p className="text-sm whitespace-pre-line text-fog">{fillText(article.text, business)}</p>
        </section>
      ))}
    </>
  );
}
