/** A problem in words for staff. `support`: identifies the problem for those who run the server; null if the words are enough. */
export type Problem = {
  readonly words: string;
  readonly support: string | null;
  /** The part of the studio that has to be repaired first, because trying again does not help. */
  readonly fix: 'lock' | null;
};

/** The operation at a provider that each kind of job performs. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'access.request': 'issue',
  'access.request-crew': 'issue',
  'access.revoke': 'remove',
  'access.revoke-crew': 'remove',
  'access.revoke-staff': 'remove',
  'access.end-secret': 'remove',
  'payment.refund': 'refund',
  'payment.partial-refund': 'refund',
};

type Provider = {
  /** The name of the provider, as the subject of a sentence. */
  readonly name: string;
  /** Sentences by code, or by operation and code. */
  readonly codes: Readonly<Record<string, string>>;
};
const PROVIDERS: Readonly<Record<string, Provider>> = {
  igloohome: {
    name: 'The lock service',
    codes: {
      http_404: 'The lock service does not know this lock',
      no_lock_set: 'No room has a lock',
      bridge_offline: 'The bridge of the lock is offline: check its power and the Wi-Fi',
      job_failed: 'The lock refused the request, or its bridge could not reach it',
      job_unanswered: 'The lock did not answer its bridge in time',
      token_refused: 'The lock service does not accept our credentials',
      not_supported: 'This lock cannot be reached remotely',
      'issue http_400': 'The lock service refused the code. The lock may be full',
      'issue http_429': 'The lock service asks us to wait before the next code',
      'remove http_400': 'The lock service refused to remove the code',
    },
  },
  stripe: {
    name: 'The payment provider',
    codes: {
      balance_insufficient: 'The balance at the payment provider does not cover the refund: top it up there',
      charge_already_refunded: 'The payment has already been refunded at the payment provider',
      charge_disputed: 'The payment is disputed, so the customer’s bank decides about it',
      resource_missing: 'The payment provider does not know this payment',
      livemode_mismatch: 'The payment and our key are from different modes, test and live',
      card_call_running: 'A card is being charged for this booking right now',
      ledger_too_long: 'There are too many payments to compare at once',
      too_many_payments: 'There are too many payments to search at once',
      StripeAuthenticationError: 'The payment provider does not accept our key',
      StripePermissionError: 'Our key does not allow this at the payment provider',
      api_key_expired: 'Our key at the payment provider has expired',
      StripeIdempotencyError: 'The payment provider already has this request with another amount',
      'refund StripeInvalidRequestError': 'The payment provider refused the amount of the refund',
    },
  },
  mail: { name: 'The mail server', codes: {} },
  twilio: {
    name: 'The text message provider',
    codes: {
      'error 21211': 'This is not a phone number that can get text messages',
      'error 21610': 'The recipient has blocked our text messages',
      'error 21614': 'This is not a mobile number',
    },
  },
  plug: {
    name: 'The light plug',
    codes: {
      did_not_switch: 'The light plug did not switch',
      wish_changed: 'The lights should be in another state by now',
    },
  },
  s3: { name: 'The file storage', codes: {} },
  'google-wallet': { name: 'Google Wallet', codes: {} },
  'apple-push': { name: 'Apple Wallet', codes: {} },
};

/** Codes that all providers share. The words follow the provider's name. */
const SHARED: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(no_response|circuit_open)$/, 'does not answer'],
  [/^(invalid_response|unknown_status)$/, 'sent an answer that we do not understand'],
  [/^(http|status)[ _]5\d\d$/, 'has a problem at the moment'],
  [/^(http|status)[ _]429$|^rate_limit$/, 'asks us to slow down'],
  [/^(http|status)[ _]40[13]$|no access token/, 'does not accept our credentials'],
  [/^smtp_5\d\d_recipient$/, 'says that this address does not exist or accepts no email'],
  [/^smtp_4\d\d(_recipient)?$/, 'asks us to try again later'],
  [/^smtp_5\d\d$/, 'refused the email'],
];

const NO_LOCK = /^no lock is configured for studio /;
/** Codes that mean that the lock of the room has to be repaired. */
const LOCK_CODES: readonly string[] = ['http_404', 'no_lock_set'];

/**
 * Describes why a job failed. `problem`: what the queue stores, which is `provider: code`, a sentence for people, or the message of an
 * error. `jobKind`: the kind of the job, because a code can mean different things for different calls.
 */
export function describeProblem(problem: string, jobKind: string | null): Problem {
  const [, key = '', code = ''] = /^([\w-]+): (.+)$/s.exec(problem) ?? [];
  const provider = own(PROVIDERS, key);
  if (provider !== undefined) {
    const words = wordsFor(provider, code, own(OPERATIONS, jobKind ?? '') ?? '');
    const fix = key === 'igloohome' && LOCK_CODES.includes(code) ? 'lock' : null;
    if (words !== undefined) return { words, support: null, fix };
    return { words: `${provider.name} refused the request, and we do not know why`, support: plain(problem), fix };
  }
  if (NO_LOCK.test(problem)) return { words: 'The room has no lock', support: null, fix: 'lock' };
  // Refusals that this program stores are already sentences.
  if (/^[A-Z].* .*\.$/.test(problem)) return { words: problem, support: null, fix: null };
  return { words: 'Something went wrong on our server', support: plain(problem), fix: null };
}

function wordsFor({ name, codes }: Provider, code: string, operation: string): string | undefined {
  const shared = SHARED.find(([pattern]) => pattern.test(code));
  return own(codes, `${operation} ${code}`) ?? own(codes, code) ?? (shared && `${name} ${shared[1]}`);
}

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Makes a code readable in a text for people. */
const plain = (text: string): string => text.replaceAll(/:\s*/g, ', ').replaceAll('_', ' ');
