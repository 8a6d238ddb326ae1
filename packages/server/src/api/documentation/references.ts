/** Schemas by their names in a description, and references to them. */
export function referring(named: Readonly<Record<string, unknown>>) {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, each]) => [each, name]))

  /** A copy of a schema in which all other named schemas are references. */
  function withReferences(schema: unknown, self?: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return schema
    const name = names.get(schema)
    if (name !== undefined && schema !== self) return { $ref: `#/components/schemas/${name}` }
    if (Array.isArray(schema)) return schema.map((item) => withReferences(item))
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, withReferences(value)]),
    )
  }

  return {
    withReferences,
    /** The description's `components.schemas`. */
    schemas: () =>
      Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, withReferences(schema, schema)]),
      ),
  }
}
