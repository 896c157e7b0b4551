/** The plug for rooms that name none. */
export const SHARED_PLUG = '';
