import { Hono } from 'hono';
import { vi } from 'vitest';
import { composeFunctions } from '#server/compose/functions.ts';
import { createBodyBudget } from '#server/http/bodies/bodies.ts';
import { createJsonBudget } from '#server/http/bodies/json-budget.ts';
import { type Caller, type Env, TokenRefused } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import type { BookingAccess } from '#server/operations/access/show-access.ts';
import type { BookingFacts, PaymentFacts } from '#server/operations/core/booking-rows.ts';
import { createLinkSigner } from '#server/crypto/link-signer.ts';

/** The functions router with fake operations and providers: no database and no network. */

/** A fake operation: passes its call to the app that created its services. */
const operation = vi.hoisted(
  () =>
    (name: string) =>
    (services: FakeServices, ...values: unknown[]): Promise<never> =>
      services.call(name, values),
);
vi.mock('#server/operations/access/issue-first-code.ts', () => ({ ensureCode: operation('ensureCode') }));
vi.mock('#server/operations/access/issue-test-pin.ts', () => ({ issueTestPin: operation('issueTestPin') }));
vi.mock('#server/operations/access/record-view.ts', () => ({ recordView: operation('recordView') }));
vi.mock('#server/operations/access/record-report.ts', () => ({
  recordReport: operation('recordReport'),
  recordBridge: operation('recordBridge'),
}));
vi.mock('#server/operations/access/renew-code.ts', () => ({ renewCode: operation('renewCode') }));
vi.mock('#server/operations/bookings/cancel.ts', () => ({ cancelBooking: operation('cancelBooking') }));
vi.mock('#server/operations/bookings/book-for-staff.ts', () => ({ bookForStaff: operation('bookForStaff') }));
vi.mock('#server/operations/bookings/cancel-for-staff.ts', () => ({
  cancelForStaff: operation('cancelForStaff'),
  cancelSeriesForStaff: operation('cancelSeriesForStaff'),
}));
vi.mock('#server/operations/staff/mark-paid.ts', () => ({ markPaid: operation('markPaid') }));
vi.mock('#server/operations/payments/refund-for-staff.ts', () => ({ refundForStaff: operation('refundForStaff') }));
vi.mock('#server/operations/staff/undo.ts', () => ({ undoForStaff: operation('undoForStaff') }));
vi.mock('#server/operations/bookings/move.ts', () => ({
  moveBooking: operation('moveBooking'),
  readExtendingMove: operation('readExtendingMove'),
}));
vi.mock('#server/operations/bookings/hold.ts', () => ({ holdBooking: operation('holdBooking') }));
vi.mock('#server/operations/bookings/read-own-booking.ts', () => ({ readOwnBooking: operation('readOwnBooking') }));
vi.mock('#server/operations/bookings/release.ts', () => ({ releaseOwnHold: operation('releaseOwnHold') }));
vi.mock('#server/operations/bookings/quote-series.ts', () => ({ quoteSeries: operation('quoteSeries') }));
vi.mock('#server/operations/calendar/next-free.ts', () => ({ readNextFree: operation('readNextFree') }));
vi.mock('#server/operations/customers/hold-early.ts', () => ({ holdEarly: operation('holdEarly') }));
vi.mock('#server/operations/customers/waitlist.ts', () => ({
  joinWaitlist: operation('joinWaitlist'),
  leaveWaitlist: operation('leaveWaitlist'),
}));
vi.mock('#server/operations/crew/links.ts', () => ({
  inviteCrew: operation('inviteCrew'),
  renewCrewLink: operation('renewCrewLink'),
  revokeCrew: operation('revokeCrew'),
}));
vi.mock('#server/operations/crew/guests.ts', () => ({
  joinCrew: operation('joinCrew'),
  readCrewPage: operation('readCrewPage'),
  readGuestAccess: operation('readGuestAccess'),
  requireJoined: operation('requireJoined'),
}));
vi.mock('#server/operations/crew/guest-codes.ts', () => ({ makeGuestCode: operation('makeGuestCode') }));
vi.mock('#server/operations/staff/set-permissions.ts', () => ({ setPermissions: operation('setPermissions') }));
vi.mock('#server/operations/settings/room-locks.ts', () => ({ listLocks: operation('listLocks') }));
vi.mock('#server/operations/settings/set-room.ts', () => ({
  setRoom: operation('setRoom'),
  orderRooms: operation('orderRooms'),
}));
vi.mock('#server/operations/settings/set-settings.ts', () => ({ setSettings: operation('setSettings') }));
vi.mock('#server/operations/reconciliation/compare-ledger.ts', () => ({
  startLedgerCheck: operation('startLedgerCheck'),
}));
vi.mock('#server/operations/staff/set-second-factor.ts', () => ({
  setSecondFactorRules: operation('setSecondFactorRules'),
}));
vi.mock('#server/operations/staff/invitations.ts', () => ({
  inviteStaff: operation('inviteStaff'),
  renewInvitation: operation('renewInvitation'),
  revokeInvitation: operation('revokeInvitation'),
  acceptInvitation: operation('acceptInvitation'),
}));
vi.mock('#server/operations/settings/set-prices.ts', () => ({
  setPriceList: operation('setPriceList'),
  setSpecialDays: operation('setSpecialDays'),
}));
vi.mock('#server/operations/access/staff-codes.ts', () => ({
  makeStaffCode: operation('makeStaffCode'),
  readStaffCodes: operation('readStaffCodes'),
  revokeStaffCode: operation('revokeStaffCode'),
}));
vi.mock('#server/operations/incidents/incidents.ts', () => ({
  readIncidents: operation('readIncidents'),
  reportIncident: operation('reportIncident'),
  changeIncident: operation('changeIncident'),
}));
vi.mock('#server/operations/power/session-lights.ts', () => ({
  readSession: operation('readSession'),
  readSessionLights: operation('readSessionLights'),
  switchSessionLights: operation('switchSessionLights'),
}));
vi.mock('#server/operations/incidents/answer-incident.ts', () => ({ answerIncident: operation('answerIncident') }));
vi.mock('#server/operations/incidents/report-problem.ts', () => ({ reportProblem: operation('reportProblem') }));
vi.mock('#server/operations/incidents/rate-session.ts', () => ({ rateSession: operation('rateSession') }));
vi.mock('#server/operations/incidents/door-help.ts', () => ({
  askForDoorHelp: operation('askForDoorHelp'),
  readDoorHelp: operation('readDoorHelp'),
}));
vi.mock('#server/operations/exports/dispute-evidence.ts', () => ({ gatherEvidence: operation('gatherEvidence') }));
vi.mock('#server/operations/staff/read-disputes.ts', () => ({ readDisputesAndHold: operation('readDisputesAndHold') }));
vi.mock('#server/operations/customers/decide-dispute.ts', () => ({
  decideDispute: operation('decideDispute'),
}));
vi.mock('#server/operations/access/doors.ts', () => ({
  readDoors: operation('readDoors'),
  readDoorLog: operation('readDoorLog'),
  openDoor: operation('openDoor'),
}));
vi.mock('#server/operations/closures/close-hours.ts', () => ({ closeHours: operation('closeHours') }));
vi.mock('#server/operations/closures/reopen-hours.ts', () => ({ reopenHours: operation('reopenHours') }));
vi.mock('#server/operations/calendar/feeds.ts', () => ({
  openFeed: operation('openFeed'),
  revokeFeed: operation('revokeFeed'),
  readFeed: operation('readFeed'),
}));
vi.mock('#server/operations/customers/block.ts', () => ({
  blockCustomer: operation('blockCustomer'),
  decideBlockedBookings: operation('decideBlockedBookings'),
  unblockCustomer: operation('unblockCustomer'),
}));
vi.mock('#server/operations/exports/export.ts', () => ({ exportCsv: operation('exportCsv') }));
vi.mock('#server/operations/mails/campaigns.ts', () => ({
  startCampaign: operation('startCampaign'),
  stopCampaign: operation('stopCampaign'),
  testCampaign: operation('testCampaign'),
  leaveMailingList: operation('leaveMailingList'),
}));
vi.mock('#server/operations/customers/account.ts', () => ({
  deleteAccount: operation('deleteAccount'),
  exportAccount: operation('exportAccount'),
  removePhone: operation('removePhone'),
}));
vi.mock('#server/operations/customers/provider-customer.ts', () => ({
  listSavedCards: operation('listSavedCards'),
  removeSavedCard: operation('removeSavedCard'),
}));
vi.mock('#server/operations/customers/write.ts', () => ({ writeCustomer: operation('writeCustomer') }));
vi.mock('#server/operations/exports/document-files.ts', () => ({ documentPage: () => '', documentPdf: () => '' }));
vi.mock('#server/operations/exports/booking-document.ts', () => ({ readDocuments: operation('readDocuments') }));
vi.mock('#server/operations/wallet/wallet-pass.ts', () => ({
  linkToPass: operation('linkToPass'),
  readPassFile: operation('readPassFile'),
}));
vi.mock('#server/operations/wallet/pass-phones.ts', () => ({
  addPhone: operation('addPhone'),
  listChanged: operation('listChanged'),
  readNewPass: operation('readNewPass'),
  removePhone: operation('removePhone'),
}));
vi.mock('#server/operations/exports/lists.ts', () => ({ exportList: operation('exportList') }));
vi.mock('#server/operations/payments/read-status.ts', () => ({ readPaymentStatus: operation('readPaymentStatus') }));
vi.mock('#server/operations/identity/withdraw.ts', () => ({ withdrawId: operation('withdrawId') }));
vi.mock('#server/operations/identity/missing-ids.ts', () => ({ keepWithoutId: operation('keepWithoutId') }));
vi.mock('#server/operations/identity/review.ts', () => ({ reviewId: operation('reviewId') }));
vi.mock('#server/operations/identity/view-picture.ts', () => ({ viewPicture: operation('viewPicture') }));
vi.mock('#server/operations/identity/check-photo.ts', () => ({ checkPhoto: operation('checkPhoto') }));
vi.mock('#server/operations/identity/hosted-check.ts', () => ({
  readHostedCheck: operation('readHostedCheck'),
  startHostedCheck: operation('startHostedCheck'),
}));
vi.mock('#server/operations/mails/send-again.ts', () => ({ sendMailAgain: operation('sendMailAgain') }));
vi.mock('#server/operations/mails/document-mails.ts', () => ({ mailDocuments: operation('mailDocuments') }));
vi.mock('#server/operations/power/switch-power.ts', () => ({
  switchPower: operation('switchPower'),
  testPower: operation('testPower'),
}));

vi.mock('#server/operations/webhooks/handle-events.ts', () => ({ acceptEvent: operation('acceptEvent') }));

type FakeServices = { call(name: string, values: unknown[]): Promise<never> };

export const PERSON = '11111111-1111-4111-8111-111111111111';
export const STAFF = '22222222-2222-4222-8222-222222222222';
/** A member of staff who has only the permissions given to `createFunctionsApp`. */
const COLLEAGUE = '77777777-7777-4777-8777-777777777777';
export const BOOKING = '33333333-3333-4333-8333-333333333333';
export const OTHER_BOOKING = '44444444-4444-4444-8444-444444444444';
export const STUDIO = '55555555-5555-4555-8555-555555555555';
export const IP = '203.0.113.7';
export const NOW = new Date('2031-05-01T00:00:00Z');

/** The session of `staff` that lacks a required second factor. */
const LOW_SESSION = '88888888-8888-4888-8888-888888888888';

/** The sender of a request, by its token. `none` sends no key; `low` is staff in a session without a required second factor. */
export type Sender = 'none' | 'guest' | 'person' | 'staff' | 'low' | 'colleague' | 'service' | 'suspended';

const caller = (role: string, userId: string | null, claims: Caller['claims'] = {}): Caller => ({
  role,
  userId,
  sessionId: userId,
  claims,
  claimsJson: '{}',
  ip: 'to be replaced by the router',
});
const CALLERS: Readonly<Record<string, Caller>> = {
  guest: caller('anon', null),
  person: caller('authenticated', PERSON, { email: 'person@example.com' }),
  staff: caller('authenticated', STAFF, { email: 'staff@example.com' }),
  low: { ...caller('authenticated', STAFF, { email: 'staff@example.com' }), sessionId: LOW_SESSION },
  colleague: caller('authenticated', COLLEAGUE, { email: 'colleague@example.com' }),
  service: caller('service_role', null),
};

export const booking: BookingFacts = {
  id: BOOKING,
  reference: 'HC-ABC123',
  userId: PERSON,
  studioId: STUDIO,
  studioName: 'Studio A',
  startTime: new Date('2031-05-02T00:00:00Z'),
  endTime: new Date('2031-05-02T02:00:00Z'),
  status: 'confirmed',
  cancelReason: null,
  holdExpiresAt: null,
  totalHours: 2,
  slots: [],
  baseCostCents: 9800,
  discountCents: 1000,
  couponDiscountCents: 550,
  waivedCents: 0,
  moves: 0,
  guestEmail: null,
  guestName: null,
  madeBy: null,
  finalCostCents: 8250,
  createdAt: new Date('2031-04-30T00:00:00Z'),
  confirmedAt: new Date('2031-04-30T00:01:00Z'),
  movesBooking: null,
  moveNumber: null,
  orderId: null,
  orderPlace: null,
  orderSize: null,
  termsStart: new Date('2031-05-02T00:00:00Z'),
  owedCents: 0,
};

export const payment: PaymentFacts = {
  id: '66666666-6666-4666-8666-666666666666',
  bookingId: BOOKING,
  attempt: 1,
  kind: 'card',
  state: 'paid',
  key: 'create:1',
  sessionId: 'cs_test_1',
  url: null,
  sessionExpiresAt: null,
  amountCents: 8250,
  paidCents: 8250,
  refundedCents: 0,
  disputeId: null,
  disputeStatus: null,
  paymentIntentId: 'pi_1',
  refundId: null,
  createdAt: new Date('2031-04-30T00:00:00Z'),
  moveNumber: null,
  card: null,
  cardAt: null,
  replacedUntil: null,
  shareOf: null,
};

export const access: BookingAccess = {
  booking,
  pin: '482913',
  pinId: 'code-1',
  held: false,
  releaseAt: new Date('2031-05-01T23:00:00Z'),
  worksFrom: new Date('2031-05-01T23:45:00Z'),
  worksUntil: new Date('2031-05-02T02:15:00Z'),
  openedAt: null,
  nextCodeAt: null,
  codesLeft: 4,
  codesPerBooking: 5,
  mode: 'bridge',
  singleUse: false,
};

type Work = (...values: never[]) => unknown;
export type FunctionsApp = {
  /** The calls of fake operations and providers in order: name and arguments. */
  readonly calls: (readonly [string, ...unknown[]])[];
  /** The calls that were counted: limit and key. */
  readonly taken: (readonly [Limit, string])[];
  /** The logged messages, as `level: message`. */
  readonly logged: string[];
  /** The fields of each logged line. */
  readonly logFields: Record<string, unknown>[];
  readonly links: ReturnType<typeof createLinkSigner>;
  /** The results of fake operations by name, e.g. `renewCode`; an operation without one throws. */
  readonly answers: Record<string, Work>;
  /** Returns the bytes that are now reserved for bodies of at most 1 MiB, and for larger ones. */
  reserved(): { small: number; large: number };
  send(name: string, by: Sender, options?: SendOptions): Promise<Response>;
};
type SendOptions = {
  readonly method?: string;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly query?: string;
  /** Added to the default headers of JSON; null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
};

export function createFunctionsApp(
  options: {
    developerPages?: boolean;
    wait?: number | null;
    bodyBytes?: number;
    now?: Date;
    permissions?: readonly string[];
    /** Whether answers and refusals are compared with the contracts, as they are outside production. */
    checked?: boolean;
  } = {},
): FunctionsApp {
  const { permissions = [] } = options;
  const calls: FunctionsApp['calls'] = [];
  const taken: FunctionsApp['taken'] = [];
  const logged: string[] = [];
  const logFields: FunctionsApp['logFields'] = [];
  const answers: FunctionsApp['answers'] = {};
  const call = (name: string, values: unknown[]): Promise<never> => {
    calls.push([name, ...values]);
    const answer = answers[name];
    if (!answer) return Promise.reject(new Error(`${name} has no answer in this test`));
    return new Promise((resolve) => resolve(answer(...(values as never[])) as never));
  };
  const fake =
    (name: string) =>
    (...values: unknown[]): Promise<never> =>
      call(name, values);
  const total = options.bodyBytes ?? 64 * 1024 * 1024;
  const bodies = {
    small: createBodyBudget({ total, perSender: total }),
    large: createBodyBudget({ total, perSender: total }),
    perMinute: createJsonBudget(1_000),
  };
  const links = createLinkSigner(Buffer.alloc(32, 7));
  // Cast: the operations are fake, and the functions read no other property.
  const services = {
    call,
    db: {
      queryRow: async (_text: string, [userId, sessionId, permission]: unknown[]) => ({
        staff: userId === STAFF || userId === COLLEAGUE,
        permitted:
          (userId === STAFF && sessionId !== LOW_SESSION) ||
          (userId === COLLEAGUE && permissions.includes(String(permission))),
        missesFactor: sessionId === LOW_SESSION,
      }),
    },
    clock: () => options.now ?? NOW,
    config: { developerPages: options.developerPages ?? true },
    links,
    wallets: { apple: null, google: null },
    locks: {
      capabilities: { mode: 'bridge', revocable: true, remoteOpen: true, choosesDigits: true },
      check: fake('locks.check'),
    },
    studioLocks: new Map([
      [STUDIO, 'lock-1'],
      ['another studio', 'lock-2'],
    ]),
    hostedChecks: null,
    payments: {
      readEvent: (raw: string, signature: string) => {
        calls.push(['payments.readEvent', raw, signature]);
        return answers['payments.readEvent']?.(...([raw, signature] as never[]));
      },
    },
    customerClass: { call },
    verifyLockWebhook: fake('verifyLockWebhook'),
    drain: fake('drain'),
  } as never;
  const functions = composeFunctions(services, {
    checked: options.checked ?? true,
    readCaller: async (request) => {
      calls.push(['readCaller']);
      const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      if (token === 'suspended') throw new CallerSuspended(7);
      const found = CALLERS[token];
      if (!found) throw new TokenRefused('no_api_key', 'No API key found in request');
      return found;
    },
    limits: Object.assign(
      async (limit: Limit, key: string) => {
        taken.push([limit, key]);
        return options.wait ?? null;
      },
      { values: (limit: Limit) => [limit.name, limit.max, limit.seconds, NOW] as const },
    ),
    bodies,
  });
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const record = (level: string) => (fields: Record<string, unknown>, message: string) => {
      logged.push(`${level}: ${message}`);
      logFields.push(fields);
    };
    c.set('requestId', 'request-1');
    c.set('ip', IP);
    c.set('log', { info: record('info'), warn: record('warn'), error: record('error') });
    await next();
  });
  app.route('/functions/v1', functions);
  return {
    calls,
    taken,
    logged,
    logFields,
    links,
    answers,
    reserved: () => ({ small: bodies.small.reserved(), large: bodies.large.reserved() }),
    async send(name, by, { method = 'POST', body, query = '', headers = {} } = {}) {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const sent = new Headers(by === 'none' ? {} : { authorization: `Bearer ${by}` });
      if (text !== undefined) {
        sent.set('content-type', 'application/json');
        sent.set('content-length', String(Buffer.byteLength(text)));
      }
      for (const [header, value] of Object.entries(headers)) {
        if (value === null) sent.delete(header);
        else sent.set(header, value);
      }
      return app.request(`http://localhost/functions/v1/${name}${query}`, {
        method,
        headers: sent,
        ...(text === undefined ? {} : { body: text }),
      });
    },
  };
}

/** Reads the status, body and Retry-After header of an answer. */
export async function readResponse(
  response: Response,
): Promise<{ status: number; body: unknown; retryAfter: string | null }> {
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? null : (JSON.parse(text) as unknown),
    retryAfter: response.headers.get('retry-after'),
  };
}
