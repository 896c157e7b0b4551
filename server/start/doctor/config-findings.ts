import type { Config } from '#server/config/operating/config.ts';
import { fail, type Finding, listFindings, ok, warn } from './finding.ts';

/** Reports settings that are allowed but rarely intended. Invalid settings have stopped the program before this point. */
export function configFindings(config: Config): Finding[] {
  const found = listFindings(
    ...config.warnings.map((line) => warn(line, 'Correct the name in the settings.')),
    !config.production && warn('NODE_ENV is not production', 'Set NODE_ENV=production where real customers book.'),
    config.sandboxUrl !== null &&
      warn('the sandbox stands in for all providers', 'Set SANDBOX=off and the keys of your providers.'),
    config.adminEmails.length === 0 &&
      config.sandboxUrl === null &&
      warn('no account becomes an admin', 'Set ADMIN_EMAILS to your address before you sign up with it.'),
    config.ownerEmails.length === 0 &&
      warn('no email is sent when jobs keep failing', 'Set OWNER_EMAIL or ADMIN_EMAILS.'),
    config.production &&
      config.trustedProxies === 0 &&
      warn(
        'TRUSTED_PROXIES is 0: behind a proxy all visitors share the limits of one address',
        'Set it to the number of proxies in front of the server.',
      ),
    config.stripe.secretKey.startsWith('sk_live_') &&
      config.databaseUrl === null &&
      fail('live payments on the embedded database may be lost in a power cut', 'Set DATABASE_URL to a PostgreSQL.'),
  );
  return found.length > 0 ? found : [ok('complete')];
}

/** Checks whether nightly backups are made. */
export function backupFindings({ backup }: Pick<Config, 'backup'>): Finding[] {
  if (backup.dir !== null) return [ok(`every night into ${backup.dir}, the newest ${backup.keep} are kept`)];
  const advice = 'Set BACKUP_DIR and BACKUP_PASSPHRASE, or use the tools of PostgreSQL (deploy/pgbackrest.conf).';
  return [warn('no backup is made at night', advice)];
}
