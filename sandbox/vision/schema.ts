/** The part of JSON Schema that requests to models use. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Fills a schema with data values. Matches properties by name in any spelling (`given_names`, `givenNames`); unknown values become the
 * emptiest value that the schema allows. Adds no properties that are not in the schema.
 */
export function fill(schema: unknown, data: unknown): unknown {
  const shape = toObject(schema);
  const choices = shape['anyOf'] ?? shape['oneOf'];
  if (Array.isArray(choices)) {
    const fits = choices.find((choice) => matches(toObject(choice), data));
    return fill(fits ?? choices.find((choice) => matches(toObject(choice), null)) ?? choices[0], data);
  }
  const options = shape['enum'];
  if (Array.isArray(options)) return options.includes(data) ? data : (options.at(-1) ?? null);
  if ('const' in shape) return shape['const'];
  const types = getTypes(shape);
  if (types.includes('object') && data !== null) {
    const given = new Map(Object.entries(toObject(data)).map(([name, value]) => [plain(name), value]));
    const properties = Object.entries(toObject(shape['properties']));
    return Object.fromEntries(properties.map(([name, property]) => [name, fill(property, given.get(plain(name)))]));
  }
  if (types.includes('array') && Array.isArray(data)) return data.map((item) => fill(shape['items'], item));
  return matches(shape, data) ? data : empty(types);
}

/** Checks OpenAI's rules for a strict schema: all properties required, no open objects. Returns null if the schema passes. */
export function strictFault(schema: unknown, at = 'schema'): string | null {
  const shape = toObject(schema);
  const nested = [
    ...Object.entries(toObject(shape['properties'])),
    ...(shape['items'] === undefined ? [] : [['items', shape['items']] as const]),
    ...(Array.isArray(shape['anyOf'])
      ? shape['anyOf'].map((choice, index) => [`anyOf.${index}`, choice] as const)
      : []),
  ];
  if (getTypes(shape).includes('object')) {
    const names = Object.keys(toObject(shape['properties']));
    const required: unknown[] = Array.isArray(shape['required']) ? shape['required'] : [];
    if (shape['additionalProperties'] !== false) return `${at}: additionalProperties must be false`;
    if (names.some((name) => !required.includes(name))) return `${at}: all properties must be required`;
  }
  for (const [name, nestedSchema] of nested) {
    const fault = strictFault(nestedSchema, `${at}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

function matches(schema: Schema, value: unknown): boolean {
  const options = schema['enum'];
  if (Array.isArray(options)) return options.includes(value);
  const types = getTypes(schema);
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

function getTypes(schema: Schema): string[] {
  const type = schema['type'];
  if (Array.isArray(type)) return type.filter((item) => typeof item === 'string');
  return typeof type === 'string' ? [type] : schema['properties'] === undefined ? [] : ['object'];
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function toObject(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
