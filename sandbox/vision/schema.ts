/** The part of JSON Schema that requests to models use. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Fills a schema with data values. Matches properties by name in any spelling (`given_names`, `givenNames`); unknown values become the
 * emptiest value that the schema allows. Adds no properties that are not in the schema.
 */
export function fill(schema: unknown, data: unknown): unknown {
  const shape = objectOf(schema);
  const choices = shape['anyOf'] ?? shape['oneOf'];
  if (Array.isArray(choices)) {
    const fits = choices.find((one) => matches(objectOf(one), data));
    return fill(fits ?? choices.find((one) => matches(objectOf(one), null)) ?? choices[0], data);
  }
  const options = shape['enum'];
  if (Array.isArray(options)) return options.includes(data) ? data : (options.at(-1) ?? null);
  if ('const' in shape) return shape['const'];
  const types = typesOf(shape);
  if (types.includes('object') && data !== null) {
    const given = new Map(Object.entries(objectOf(data)).map(([name, value]) => [plain(name), value]));
    const wanted = Object.entries(objectOf(shape['properties']));
    return Object.fromEntries(wanted.map(([name, one]) => [name, fill(one, given.get(plain(name)))]));
  }
  if (types.includes('array') && Array.isArray(data)) return data.map((one) => fill(shape['items'], one));
  return matches(shape, data) ? data : empty(types);
}

/** Checks OpenAI's rules for a strict schema: all properties required, no open objects. Returns null if the schema passes. */
export function strictFault(schema: unknown, at = 'schema'): string | null {
  const shape = objectOf(schema);
  const nested = [
    ...Object.entries(objectOf(shape['properties'])),
    ...(shape['items'] === undefined ? [] : [['items', shape['items']] as const]),
    ...(Array.isArray(shape['anyOf']) ? shape['anyOf'].map((one, index) => [`anyOf.${index}`, one] as const) : []),
  ];
  if (typesOf(shape).includes('object')) {
    const names = Object.keys(objectOf(shape['properties']));
    const required: unknown[] = Array.isArray(shape['required']) ? shape['required'] : [];
    if (shape['additionalProperties'] !== false) return `${at}: additionalProperties must be false`;
    if (names.some((name) => !required.includes(name))) return `${at}: all properties must be required`;
  }
  for (const [name, one] of nested) {
    const fault = strictFault(one, `${at}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

function matches(schema: Schema, value: unknown): boolean {
  const options = schema['enum'];
  if (Array.isArray(options)) return options.includes(value);
  const types = typesOf(schema);
  if (types.length === 0) return value !== undefined;
  return types.some((type) => {
    if (type === 'null') return value === null;
    if (type === 'array') return Array.isArray(value);
    if (type === 'integer') return Number.isInteger(value);
    if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
    return typeof value === type;
  });
}

function empty(types: readonly string[]): unknown {
  if (types.includes('null') || types.length === 0) return null;
  if (types.includes('array')) return [];
  if (types.includes('boolean')) return false;
  if (types.includes('number') || types.includes('integer')) return 0;
  return types.includes('object') ? {} : '';
}

function typesOf(schema: Schema): string[] {
  const type = schema['type'];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  return typeof type === 'string' ? [type] : schema['properties'] === undefined ? [] : ['object'];
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function objectOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
