import { useEffect, useState } from 'react';
import { readDoorCopy, saveDoorCopy } from '#web/lib/stored/door-copy.ts';
import { useNow } from '#web/lib/use-now.ts';
import type { Access } from './queries.ts';

const WORKER = '/door-worker.js';
const SCOPE = '/door';

/** Keeps the page and its data in this browser until the session ends. Returns the copy that was kept before, for use without a network. */
export function useOfflineDoor(bookingId: string, fresh: Access | undefined): Access | null {
  const now = useNow(15_000);
  const [kept] = useState(() => readDoorCopy<Access>(bookingId, now));
  const running = fresh !== undefined && now < new Date(fresh.booking.end_time);
  useEffect(() => {
    if (running) saveDoorCopy(fresh);
  }, [running, fresh]);
  useEffect(() => {
    if (running) void keepPage().catch(() => null); // No worker: the page works with a network only.
  }, [running]);
  useEffect(() => {
    readDoorCopy(bookingId, now); // Removes it when the session has ended meanwhile.
  }, [bookingId, now]);
  return kept;
}

type Policies = { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown };

/** The content security policy requires that the address of a worker comes from a trusted-types policy. This policy allows a single address. */
function workerAddress(): string {
  const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
  if (policies === undefined) return WORKER;
  const policy = policies.createPolicy('door', { createScriptURL: () => WORKER }) as {
    createScriptURL(url: string): string;
  };
  return policy.createScriptURL(WORKER);
}

async function keepPage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register(workerAddress(), { scope: SCOPE });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin }) => origin === window.location.origin)
    .map(({ pathname, search }) => pathname + search);
  worker?.postMessage({ files });
}
