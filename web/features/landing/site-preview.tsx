import { type BusinessSettings, fillText } from '#rules/business/business.ts';
import { PageDataProvider, useRooms } from '#web/lib/business/business.ts';
import { Footer } from './footer.tsx';
import { InfoTable } from './info-table.tsx';
import { Articles } from './public-frame.tsx';

/** Shows the public parts of the site that settings change, as visitors will see them. */
export function SitePreview({ settings }: { settings: BusinessSettings }) {
  return (
    <PageDataProvider value={{ business: settings, rooms: useRooms(), texts: settings }}>
      {settings.notice === '' ? null : (
        <p className="bg-signal px-4 py-3 font-semibold text-ink">{fillText(settings.notice, settings)}</p>
      )}
      <div className="px-4 py-6 sm:px-8">
        <div inert>
          <InfoTable />
        </div>
        <details className="mt-6">
          <summary className="min-h-11 cursor-pointer font-semibold">Terms & Conditions</summary>
          <Articles articles={settings.terms} />
        </details>
        <details>
          <summary className="min-h-11 cursor-pointer font-semibold">Privacy</summary>
          <Articles articles={settings.privacy} />
        </details>
      </div>
      <div inert>
        <Footer />
      </div>
    </PageDataProvider>
  );
}
