import { useTexts } from '#web/data/texts.ts';
import { AutomatedDecisions } from '#web/features/landing/automated-decisions.tsx';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';
import { Loaded } from '#web/ui/progress.tsx';

export default function PrivacyPage() {
  const texts = useTexts();
  return (
    <PublicFrame title="Privacy" lead={<p>We keep only what we need for your bookings and what the law asks for.</p>}>
      <Loaded query={texts} what="the page" skeleton="mt-12 h-96">
        {({ privacy }) => (
          <>
            <Articles articles={privacy} />
            <AutomatedDecisions />
          </>
        )}
      </Loaded>
    </PublicFrame>
  );
}
