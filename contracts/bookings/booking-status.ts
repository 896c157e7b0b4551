import { z } from 'zod';

export const bookingStatusField = z.enum(['pending', 'confirmed', 'cancelled']);
