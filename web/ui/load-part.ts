import { type ComponentType, createElement, lazy, type ReactNode } from 'react';
import { fetchPart } from './fetch-part.ts';

const failed = new Set<() => void>();

/** Makes every part that could not be fetched try again when it next renders. */
export function retryParts(): void {
  for (const retry of failed) retry();
  failed.clear();
}

/** A component that is fetched when it first renders. `fetch` starts this earlier. */
type Part<P> = ((props: P) => ReactNode) & { readonly fetch: () => void };

/**
 * Creates a component that is fetched when it first renders. React caches a failed fetch permanently; after `retryParts`, this component
 * fetches again.
 */
export function lazyPart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  const make = (): ComponentType<P> =>
    // Cast: React's own type for `lazy` does not support generic props.
    lazy(() =>
      fetchPart(load).catch((error: unknown) => {
        failed.add(() => {
          current = make();
        });
        throw error;
      }),
    ) as unknown as ComponentType<P>;
  let current = make();
  // Failures are ignored, because rendering fetches the part again.
  const fetch = (): void => void load().catch(() => null);
  return Object.assign((props: P) => createElement(current, props), { fetch });
}
