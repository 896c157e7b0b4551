import { termsDate } from '#rules/business/terms-date.ts';
import { useTexts } from '#web/data/texts.ts';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';

export default function TermsPage() {
  const texts = useTexts();
  return (
    <PublicFrame
      title="Terms & Conditions"
      lead={texts.data ? <p>Last updated: {termsDate(texts.data.termsVersion)}</p> : null}
    >
      {texts.data ? (
        <Articles articles={texts.data.terms} />
      ) : texts.isError ? (
        <LoadFailed title="The terms could not be loaded." onRetry={() => void texts.refetch()} />
      ) : (
        <Skeleton className="mt-12 h-96" label="Loading the terms" />
      )}
    </PublicFrame>
  );
}
