import { type ComponentType, createElement, lazy, type ReactNode } from 'react';
import { fetchPart } from './fetch-part.ts';

const failed = new Set<() => void>();

/** Makes every part that could not be fetched try again at its next render. */
export function retryParts(): void {
  for (const again of failed) again();
  failed.clear();
}

/** A component that is fetched at its first render; `fetch` begins earlier. */
type Part<P> = ((props: P) => ReactNode) & { readonly fetch: () => void };

/**
 * Makes a component that is fetched at its first render. React caches a failed fetch for ever;
 * after `retryParts` this one fetches again.
 */
export function lazyPart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  const make = (): ComponentType<P> =>
    // React's own type for `lazy` knows no generic props.
    lazy(() =>
      fetchPart(load).catch((error: unknown) => {
        failed.add(() => {
          current = make();
        });
        throw error;
      }),
    ) as unknown as ComponentType<P>;
  let current = make();
  // The render fetches again what failed here.
  const fetch = (): void => void load().catch(() => null);
  return Object.assign((props: P) => createElement(current, props), { fetch });
}
