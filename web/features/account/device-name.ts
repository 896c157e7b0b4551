const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|\bCriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

/** Names a device by its user agent, such as "Chrome on Windows"; "Another device" if nothing matches. */
export function deviceName(userAgent: string | null): string {
  const find = (table: typeof BROWSERS): string | null =>
    table.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? null;
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === null) return system ?? 'Another device';
  return system === null ? browser : `${browser} on ${system}`;
}
