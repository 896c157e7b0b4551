/** Default plug for rooms without one. */
export const SHARED_PLUG = '';
