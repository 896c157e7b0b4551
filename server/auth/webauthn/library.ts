import type * as Webauthn from '@simplewebauthn/server';

/** Loads the WebAuthn library at its first use: it is a fifth of the modules that the server would load when it starts. */
export const loadWebauthn = (): Promise<typeof Webauthn> => import('@simplewebauthn/server');
