import { BOOKING_FAULTS, CODE_FAULTS, QUEUE_FAULTS } from './bookings.ts';
import type { Fault } from './fault.ts';
import { PAYMENT_FAULTS } from './payments.ts';

/** The faults that the simulator must find. */
export const FAULTS: readonly Fault[] = [...PAYMENT_FAULTS, ...BOOKING_FAULTS, ...CODE_FAULTS, ...QUEUE_FAULTS];
