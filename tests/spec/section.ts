/** Lines of the specification by their ids. Straight double quotes mark a text of the product, letter by letter; `{…}` is filled in. */
type Lines = Readonly<Record<`${number}.${number}`, string>>;

/** A section of the specification. */
export type Section = {
  /** Its number and name, such as `2. Screens and routes`. The ids of its lines begin with the number. */
  readonly title: string;
  readonly note?: string;
  /**
   * The lines by their headings; `''` for lines without a heading. A line that a decision changed, bounded or completed ends with its code,
   * such as `[T-12]`; one that the client library satisfies ends with `[supabase-js]`.
   */
  readonly parts: Readonly<Record<string, Lines>>;
};

export type Line = {
  readonly id: string;
  readonly text: string;
  /** Whether a decision or the client library may have changed the quoted texts. */
  readonly excused: boolean;
};

/** Returns the lines of all sections, in order. */
export function listLines(sections: readonly Section[]): readonly Line[] {
  return sections
    .flatMap(({ parts }) => Object.values(parts))
    .flatMap((lines) => Object.entries(lines))
    .map(([id, text]) => ({ id, text, excused: /\[(T-\d\d(, T-\d\d)*|supabase-js)\]$/.test(text) }));
}
