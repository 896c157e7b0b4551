import { createContext, useContext } from 'react';
import type { SiteRoom } from '#rules/business/rooms.ts';
import type { Business, BusinessTexts } from '#rules/business/business.ts';

/** The data that the server writes into a page: the details of the business, and the long texts on the pages that show them. */
export type PageData = {
  readonly business: Business;
  readonly rooms: readonly SiteRoom[];
  readonly texts: BusinessTexts | null;
};

const PageDataContext = createContext<PageData | null>(null);

function usePageData(): PageData {
  const data = useContext(PageDataContext);
  if (data === null) throw new Error('a page was shown without the data of the business');
  return data;
}

/** Provides the page's data to the components inside. */
export const PageDataProvider = PageDataContext.Provider;

/** Returns the details of the business as they were when the page was loaded. */
export function useBusiness(): Business {
  return usePageData().business;
}

/** Returns the rooms as they were when the page was loaded. */
export function useRooms(): readonly SiteRoom[] {
  return usePageData().rooms;
}

/** Returns the texts that came with the page; null if the page shows none. */
export function useGivenTexts(): BusinessTexts | null {
  return usePageData().texts;
}

export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '');
}
