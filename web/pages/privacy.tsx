import { useTexts } from '#web/data/texts.ts';
import { AutomatedDecisions } from '#web/features/landing/automated-decisions.tsx';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';

export default function PrivacyPage() {
  const texts = useTexts();
  return (
    <PublicFrame title="Privacy" lead={<p>We keep only what we need for your bookings and what the law asks for.</p>}>
      {texts.data ? (
        <>
          <Articles articles={texts.data.privacy} />
          <AutomatedDecisions />
        </>
      ) : texts.isError ? (
        <LoadFailed title="The page could not be loaded." onRetry={() => void texts.refetch()} />
      ) : (
        <Skeleton className="mt-12 h-96" label="Loading the page" />
      )}
    </PublicFrame>
  );
}
