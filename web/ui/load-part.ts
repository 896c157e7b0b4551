import { type ComponentType, createElement, lazy } from 'react';
import { fetchPart } from './fetch-part.ts';

const failed = new Set<() => void>();

/** Makes every part that could not be fetched try again at its next render. */
export function retryParts(): void {
  for (const again of failed) again();
  failed.clear();
}

/**
 * Makes a component that is fetched at its first render. React caches a failed fetch for ever;
 * after `retryParts` this one fetches again.
 */
export function lazyPart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
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
  return (props: P) => createElement(current, props);
}
