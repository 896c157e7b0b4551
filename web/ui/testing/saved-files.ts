import { vi } from 'vitest';

/** A file as the browser would save it. */
type SavedFile = { readonly name: string; readonly type: string; readonly text: string };

/**
 * Replaces, for one test, the parts of the browser that save a file, which the test DOM lacks. Returns a function that reads the files that
 * the page has saved, oldest first.
 */
export function watchSavedFiles(): () => Promise<SavedFile[]> {
  const blobs = new Map<string, Blob>();
  const saved: { readonly name: string; readonly blob: Blob | undefined }[] = [];
  URL.createObjectURL = (blob: Blob) => {
    const url = `blob:${blobs.size}`;
    blobs.set(url, blob);
    return url;
  };
  URL.revokeObjectURL = () => {};
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    saved.push({ name: this.download, blob: blobs.get(this.href) });
  });
  return () =>
    Promise.all(
      saved.map(async ({ name, blob }) => ({ name, type: blob?.type ?? '', text: (await blob?.text()) ?? '' })),
    );
}
