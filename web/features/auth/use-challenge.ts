import { useRef } from 'react';
import { challengeFactor } from './queries.ts';

/** Holds the challenge of a second factor. A challenge allows five wrong codes, so every attempt after a failure starts a new one. */
export function useChallenge(factorId: string): { ask: () => Promise<string>; forget: () => void } {
  const challenge = useRef<string | null>(null);
  return {
    ask: async () => (challenge.current ??= await challengeFactor(factorId)),
    forget: () => {
      challenge.current = null;
    },
  };
}
