/** The attributes of a span. They never contain an id of a person, an address, a secret or a value of a row. */
type SpanAttributes = Readonly<Record<string, string | number>>;

/** Measures work as spans of a trace: a request, its statements, its calls to providers, a job. */
export type Spans = {
  /**
   * Runs `work` as a span inside the current one. `describe` adds the attributes that are available at the end. `parent`: the `traceparent`
   * that the caller sent (W3C Trace Context).
   */
  run<T>(span: SpanStart, work: () => Promise<T>, describe?: () => SpanEnd): Promise<T>;
};

export type SpanStart = {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'job';
  readonly attributes: SpanAttributes;
  readonly parent?: string | undefined;
};

/** `name` replaces the name that the span started with. */
export type SpanEnd = { readonly name?: string; readonly attributes: SpanAttributes; readonly failed?: boolean };
