import { z } from 'zod';

/**
 * A body of one of two shapes. `isFirst` returns whether the first one was sent, so that a refusal names the invalid
 * field: a plain union would refuse the whole body.
 */
export function eitherShape<First extends z.ZodType, Second extends z.ZodType>(
  isFirst: (body: unknown) => boolean,
  first: First,
  second: Second,
) {
  return z.preprocess(
    (body: z.input<First> | z.input<Second>, context) => {
      const { error } = (isFirst(body) ? first : second).safeParse(body);
      for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
      return body;
    },
    z.union([first, second]),
  );
}
