/** Id of the element that shows the notice of the business. */
export const NOTICE_ID = 'site-notice';
const KEY = 'read-notice';

/** Whether this visitor has closed this notice. Storage may be unavailable. */
export function wasRead(notice: string): boolean {
  try {
    return localStorage.getItem(KEY) === notice;
  } catch {
    return false;
  }
}

/** Stores that this visitor has closed this notice. */
export function rememberNotice(notice: string): void {
  try {
    localStorage.setItem(KEY, notice);
  } catch {
    // Without storage, the notice is shown again on the next page.
  }
}

/** Hides a closed notice of the pre-rendered page before the page is painted, so that the layout does not shift later. */
export function hideReadNotice(): void {
  const notice = document.getElementById(NOTICE_ID);
  if (notice !== null && wasRead(notice.dataset['notice'] ?? '')) notice.hidden = true;
}
