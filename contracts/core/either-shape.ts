import { z } from 'zod';

/** Maps each schema of `eitherShape` to the union that describes it. */
const descriptions = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Creates a schema for a body of one of two shapes. `isFirst` returns whether the first shape was sent, so that a refusal names the invalid
 * field. A plain union would refuse the whole body.
 */
export function eitherShape<First extends z.ZodType, Second extends z.ZodType>(
  isFirst: (body: unknown) => boolean,
  first: First,
  second: Second,
) {
  const either = z
    .custom<z.input<First> | z.input<Second>>()
    .transform((body, context): z.output<First> | z.output<Second> => {
      const parsed = (isFirst(body) ? first : second).safeParse(body);
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    });
  descriptions.set(either, z.union([first, second]));
  return either;
}

/** Returns the schema that describes a body to readers. For a schema of `eitherShape`, that is the union of its shapes. */
export const toDescribed = (schema: z.ZodType): z.ZodType => descriptions.get(schema) ?? schema;
