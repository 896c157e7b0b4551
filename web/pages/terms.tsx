import { termsDate } from '#rules/business/terms-date.ts';
import { useTexts } from '#web/data/texts.ts';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';
import { Loaded } from '#web/ui/progress.tsx';

export default function TermsPage() {
  const texts = useTexts();
  return (
    <PublicFrame
      title="Terms & Conditions"
      lead={texts.data ? <p>Last updated: {termsDate(texts.data.termsVersion)}</p> : null}
    >
      <Loaded query={texts} what="the terms" skeleton="mt-12 h-96">
        {({ terms }) => <Articles articles={terms} />}
      </Loaded>
    </PublicFrame>
  );
}
