import { useEffect, useState } from 'react';

/** What goes on, in words that change the longer it takes; nothing while `on` is false. The place is kept by whoever shows it. */
export function Progress({ on, words }: { on: boolean; words: readonly [string, string, string] }) {
  return on ? <Steps words={words} /> : null;
}

/** Most things are over before the second is said; nobody should wait 12 seconds without a reason being given. */
const SECOND_MS = 4_000;
const THIRD_MS = 12_000;

function Steps({ words }: { words: readonly [string, string, string] }) {
  const [step, setStep] = useState<0 | 1 | 2>(0);
  useEffect(() => {
    const timers = [setTimeout(() => setStep(1), SECOND_MS), setTimeout(() => setStep(2), THIRD_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return <output>{words[step]}</output>;
}
