import type * as Webauthn from '@simplewebauthn/server';

/** Loads the WebAuthn library at its first use, because it has a fifth of the modules that the server would load at its start. */
export const loadWebauthn = (): Promise<typeof Webauthn> => import('@simplewebauthn/server');
