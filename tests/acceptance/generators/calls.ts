import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'

export const DESCRIPTION = join(REPOSITORY, 'packages/server/openapi.json')

/** A call of an operation. Values are TypeScript, over `first` and `second`, ids of objects, and `routes`. */
export type Call = {
  id: string
  path: string
  tag: string
  /** The value of the path's `{id}`. */
  inPath: string | undefined
  /** The values of the parameters that it needs. */
  query: Record<string, string>
  /** Whether it has others. */
  hasQuery: boolean
  isPublic: boolean
}

const VALUES: Record<string, string> = {
  ...{ from_time: "'2024-01-01'", to_time: "'2024-12-31'", time: "'2024-06-01'" },
  ...{ from_date: "'2024-01-01'", to_date: "'2024-12-31'" },
  ...{ ids: '[second, first]', object: 'first', types: "['objects']" },
}

const { paths, components } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as Json

const CALLS = Object.entries<Json>(paths).map(([path, { get }]): Call => {
  const { operationId: id, parameters = [], security, tags } = get
  const described: Json[] = parameters.map(({ $ref }: Json) => {
    return components.parameters[$ref.split('/').at(-1)]
  })
  const query = described.filter((each) => each.in === 'query')
  const isNeeded = ({ name, required }: Json) =>
    required ||
    (id === 'listChanges' && name === 'types') ||
    (id === 'latestPositions' && name === 'ids')
  const ofObject = path.startsWith('/objects') ? 'first' : 'routes[0]!.id'
  return {
    ...{ id, path, tag: tags[0], hasQuery: query.length > 0, isPublic: security !== undefined },
    inPath: path.includes('{id}') ? ofObject : undefined,
    query: Object.fromEntries(query.filter(isNeeded).map(({ name }) => [name, VALUES[name]!])),
  }
})

/** The requests that the rate window has room for. */
const WINDOW = 10
/** The answers of these are used by later calls. */
const FIRST = ['listObjects', 'listRoutes', 'listChanges']

/** How a generator's client is opened and called, and how it names the names of objects in changes. */
export type Client = { head: string; call(call: Call): string; namesOf?: string }

const NAMES_OF = "change.type === 'object' && change.op === 'put' ? change.object.name : []"

/** A program that calls every operation by a generated client, and prints the results by operation. */
export function programOf({ head, call, namesOf = NAMES_OF }: Client): string {
  const isFirst = ({ id }: Call) => FIRST.includes(id)
  const calls = [...CALLS.filter(isFirst), ...CALLS.filter((each) => !isFirst(each))]
  const statements = calls.map((each, i) => {
    const wait = i > 0 && i % WINDOW === 0 ? 'await nextWindow()\n' : ''
    const more =
      each.id === 'listObjects'
        ? '\nconst [first, second] = listObjects.map(({ id }) => id) as [number, number]'
        : each.id === 'listRoutes'
          ? '\nconst routes = listRoutes'
          : ''
    return `${wait}const ${each.id} = ${call(each)}${more}`
  })
  return `${head}
import { nextWindow } from './next-window.js'
${statements.join('\n')}
const names = listChanges.changes.flatMap((change) => (${namesOf}))
console.log(JSON.stringify({ names, ${calls.map(({ id }) => id).join(', ')} }))
`
}

/** An object literal. Empty: undefined. */
export function literal(values: Record<string, string>): string | undefined {
  const members = Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  return members.length === 0 ? undefined : `{ ${members.join(', ')} }`
}
