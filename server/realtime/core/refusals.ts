/** The texts of the protocol. supabase-js passes them on to the application, so they must not vary. */

/** Refuses a handshake before the connection becomes a WebSocket. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';
  readonly status: 401 | 403 | 429 | 500 | 503;
  constructor(status: HandshakeRefused['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** Refuses a join: the client gets an error reply with `reason` and joins again later. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused';
  /** Whether the refusal also closes the socket. */
  readonly closes: boolean;
  constructor(reason: string, closes = false) {
    super(reason);
    this.closes = closes;
  }
}

export const joinRefusals = {
  topicMissing: () => new JoinRefused('TopicNameRequired: You must provide a topic name'),
  privateOnly: () => new JoinRefused('PrivateOnly: This project only allows private channels'),
  noReadRight: (topic: string) => new JoinRefused(`Unauthorized: ${noReadRight(topic)}`),
  tooManyChannels: () => new JoinRefused('ChannelRateLimitReached: Too many channels'),
  tooManySockets: () => new JoinRefused('ConnectionRateLimitReached: Too many connected users'),
  tooManyJoins: () => new JoinRefused('ClientJoinRateLimitReached: Too many joins per second', true),
  replayInvalid: () => new JoinRefused('UnableToReplayMessages: Replay params are not valid'),
  replayPublic: () => new JoinRefused('UnableToReplayMessages: Replay is not allowed for public channels'),
  replayFailed: () => new JoinRefused('UnableToReplayMessages: Realtime was unable to replay messages'),
  databaseDown: () =>
    new JoinRefused('UnableToConnectToProject: Realtime was unable to connect to the project database'),
  queryCanceled: () => new JoinRefused('QueryCanceled: Query was cancelled, please try again'),
  restarting: () => new JoinRefused('RealtimeRestarting: Realtime is restarting, please standby'),
  changesTimeout: (milliseconds: number) =>
    new JoinRefused(
      `PostgresChangesSubscribeTimeout: Timed out after ${milliseconds}ms waiting for the postgres_changes subscription`,
    ),
  changesRefused: (text: string) => new JoinRefused(`RealtimeDisabledForConfiguration: ${text}`),
  unknown: () => new JoinRefused('Unknown Error on Channel'),
};

const noReadRight = (topic: string): string => `You do not have permissions to read from this Channel topic: ${topic}`;
export const lostReadRight = (topic: string): string =>
  `You no longer have permission to read from this Channel topic: ${topic}`;

/** The reason for which a token is refused. A join refusal puts the code in front of the text. */
export type TokenFault = {
  readonly code: 'InvalidJWTToken' | 'MalformedJWT' | 'JwtSignatureError' | 'JwtSignerError';
  readonly message: string;
};

export const joinRefusalOfToken = ({ code, message }: TokenFault): JoinRefused =>
  new JoinRefused(`${code}: ${message}`);

export const systemErrors = {
  tooManyMessages: 'Too many messages per second',
  tooManySockets: 'Too many connected users',
  tooManyPresenceCalls: 'Client presence rate limit exceeded',
  presenceTooLarge: 'Track message size exceeded',
  databaseDown: 'Realtime was unable to connect to the project database',
  disconnect: 'Server requested disconnect',
} as const;
