import type { CheckedConfig } from './checked-config.ts';
import { type Finding, findingsOf } from './finding.ts';

type CheckedParts = Pick<
  CheckedConfig,
  | 'warnings'
  | 'production'
  | 'sandboxUrl'
  | 'adminEmails'
  | 'ownerEmails'
  | 'trustedProxies'
  | 'backup'
  | 'databaseUrl'
  | 'stripe'
>;
const { ok, warn, fail } = findingsOf('settings');

/** What is allowed but seldom meant. Faults stop the program before it gets here. */
export function configFindings(config: CheckedParts): Finding[] {
  const found: Finding[] = config.warnings.map((line) => warn(line, 'Correct the name in the settings.'));
  if (!config.production)
    found.push(warn('NODE_ENV is not production', 'Set NODE_ENV=production where real customers book.'));
  if (config.sandboxUrl !== null)
    found.push(warn('the sandbox stands in for all providers', 'Set SANDBOX=off and the keys of your providers.'));
  if (config.adminEmails.length === 0 && config.sandboxUrl === null)
    found.push(warn('nobody becomes an admin', 'Set ADMIN_EMAILS to your address before you sign up with it.'));
  if (config.ownerEmails.length === 0)
    found.push(warn('nobody is mailed when jobs keep failing', 'Set OWNER_EMAIL or ADMIN_EMAILS.'));
  if (config.production && config.trustedProxies === 0)
    found.push(
      warn(
        'TRUSTED_PROXIES is 0: behind a proxy all visitors share the limits of one address',
        'Set it to the number of proxies in front of the server.',
      ),
    );
  if (config.stripe.secretKey.startsWith('sk_live_') && config.databaseUrl === null)
    found.push(
      fail('live payments on the embedded database may be lost in a power cut', 'Set DATABASE_URL to a PostgreSQL.'),
    );
  return found.length > 0 ? found : [ok('complete')];
}

/** Whether a backup of each night is made. */
export function backupFindings({ backup }: Pick<CheckedConfig, 'backup'>): Finding[] {
  const say = findingsOf('backup');
  if (backup.dir === null)
    return [
      say.warn(
        'no backup is made at night',
        'Set BACKUP_DIR and BACKUP_PASSPHRASE, or use the tools of PostgreSQL (deploy/pgbackrest.conf).',
      ),
    ];
  return [say.ok(`every night into ${backup.dir}, the newest ${backup.keep} are kept`)];
}
