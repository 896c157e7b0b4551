/** The sizes of the model that are searched as a whole, with the results that a search must have. */

type MeasuredSize = {
  /** Customers, slots and payment sessions. */
  readonly size: string;
  readonly states: number;
  readonly depth: number;
  /** The most steps without a customer after which no hold is left. */
  readonly toEnd: number;
  /** How long the search took on one core. */
  readonly took: string;
  /** Whether it is a part of `npm test` or of `npm run test:long`. */
  readonly part: 'test' | 'long';
};

export const SIZES: readonly MeasuredSize[] = [
  { size: '2x2x1', states: 12_746, depth: 22, toEnd: 5, took: '1 s', part: 'test' },
  { size: '2x2x2', states: 411_728, depth: 32, toEnd: 6, took: '8 s', part: 'test' },
  { size: '3x2x2', states: 1_305_692, depth: 35, toEnd: 6, took: '22 s', part: 'long' },
  { size: '2x3x2', states: 5_434_036, depth: 41, toEnd: 7, took: '2 min', part: 'long' },
  { size: '3x3x2', states: 29_262_174, depth: 44, toEnd: 8, took: '19 min', part: 'long' },
];
