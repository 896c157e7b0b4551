/** Every call of `/functions/v1`: one line for each contract. */
export { holdHours } from './bookings/hold-hours.ts';
