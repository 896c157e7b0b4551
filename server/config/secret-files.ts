import { readFileSync } from 'node:fs';

/**
 * Variables that may be read from a file, as `NAME_FILE`, because container platforms provide secrets as files. Only our own variables are
 * listed, because platforms set others of this form, such as AWS_WEB_IDENTITY_TOKEN_FILE.
 */
const SECRET =
  /^(APP_SECRET|APP_SECRET_PREVIOUS|JWT_SECRET|JWT_SECRET_PREVIOUS|METRICS_TOKEN|DATABASE_URL|DATABASE_DIRECT_URL|DATABASE_REPLICA_URL|SMTP_URL|OTEL_EXPORTER_OTLP_HEADERS|BACKUP_PASSPHRASE|WALLET_[A-Z_]+_CERTIFICATE|(AUTH|IGLOOHOME|STORAGE|STRIPE|TWILIO|VISION|WALLET)_[A-Z0-9_]+_(KEY|SECRET|TOKEN|KEY_ID)(_PREVIOUS)?)$/;

/** Whether a variable is the `NAME_FILE` of a secret. */
const isSecretFile = (name: string): boolean => name.endsWith('_FILE') && SECRET.test(name.slice(0, -5));

/**
 * Replaces each `NAME_FILE` of a secret by `NAME` with the content of the file, without its last line break. Adds a line to `faults` for
 * each file that cannot be read.
 */
export function withSecretFiles(
  given: Readonly<Record<string, string | undefined>>,
  faults: string[],
): Record<string, string | undefined> {
  const result = new Map(Object.entries(given));
  for (const [name, path] of Object.entries(given)) {
    if (!isSecretFile(name) || path === undefined) continue;
    const secret = name.slice(0, -5);
    result.delete(name);
    if (Object.hasOwn(given, secret) && given[secret] !== undefined) {
      faults.push(`${name}: ${secret} is set too; set one of them`);
      continue;
    }
    try {
      const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      result.set(secret, value);
      if (value === '') faults.push(`${name}: ${path} is empty`);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      faults.push(`${name}: ${path} cannot be read (${reason})`);
    }
  }
  return Object.fromEntries(result);
}
