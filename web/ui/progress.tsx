import { useEffect, useState } from 'react';

/** Describes what is going on in texts that change over time. Shows nothing while `on` is false. The parent reserves the space. */
export function Progress({ on, words }: { on: boolean; words: readonly [string, string, string] }) {
  return on ? <Steps words={words} /> : null;
}

/** When the second and the third text appear. Most calls end before the second text; after 12 seconds people need an explanation. */
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
