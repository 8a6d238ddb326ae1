import type { AdminOperation } from '../operation.ts'
import { OPERATIONS } from '../operations/operations.ts'

type Parameter = { name: string; in: 'path' | 'query'; description?: string }

function describedIn({ path, query = {} }: AdminOperation): Parameter[] {
  return [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name: name!,
      in: 'path' as const,
      required: true,
      schema: { type: 'integer', minimum: 1 },
    })),
    ...Object.entries(query).map(([name, { schema, description, isRequired }]) => ({
      name,
      in: 'query' as const,
      ...(isRequired && { required: true }),
      schema,
      description,
    })),
  ]
}

/** The parameters that several operations have, by their names in the description. Of two with one name, the first is shared. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = sharedParameters()

function sharedParameters(): Record<string, Parameter> {
  const seen = new Set<string>()
  const shared: Record<string, Parameter> = {}
  for (const parameter of OPERATIONS.flatMap(describedIn)) {
    const text = JSON.stringify(parameter)
    const key = keyOf(parameter)
    if (!seen.has(text)) {
      seen.add(text)
      continue
    }
    shared[key] ??= parameter
  }
  return shared
}

/** `ObjectId` of a path, `FromTime` of a query. */
function keyOf({ name, in: place }: Parameter): string {
  const words = [...name.split('_'), ...(place === 'path' ? ['id'] : [])]
  return words.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join('')
}

/** The parameters of an operation. Those that others have too are references. */
export function parametersOf(operation: AdminOperation): object[] {
  return describedIn(operation).map((parameter) => {
    const key = keyOf(parameter)
    const isShared = JSON.stringify(SHARED_PARAMETERS[key]) === JSON.stringify(parameter)
    return isShared ? { $ref: `#/components/parameters/${key}` } : parameter
  })
}
