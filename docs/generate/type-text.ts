/** The part of JSON Schema that our schemas come out as. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** A schema in a few words. What JSON Schema cannot say (instants, any JSON) is plain JSON. */
export function typeText(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeText))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (typeof schema.type === 'object') return schema.type.join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`;
  if (schema.type === 'integer') return 'whole number';
  if (schema.type === 'object') return Object.keys(schema.properties ?? {}).length > 0 ? objectText(schema) : 'object';
  return schema.type ?? 'JSON';
}

function objectText({ properties = {} }: JsonSchema): string {
  const { strategy } = properties;
  const fields = Object.keys(properties).filter((name) => name !== 'strategy');
  return strategy?.const ? `${strategy.const} {${fields.join(', ')}}` : `{${fields.join(', ')}}`;
}
