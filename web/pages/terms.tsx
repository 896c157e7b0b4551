import { terms } from '#rules/terms.ts';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';

export default function TermsPage() {
  return (
    <PublicFrame title="Terms & Conditions" lead={<p>Last updated: {terms.lastUpdated}</p>}>
      <Articles sections={terms.sections.map(({ title, text }) => ({ title, text: <p>{text}</p> }))} />
    </PublicFrame>
  );
}
