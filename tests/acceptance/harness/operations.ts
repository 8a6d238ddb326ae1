import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, REPOSITORY } from './fleetgate.ts'
import type { FleetRecord } from './make-fleet.ts'

export type Operation = {
  /** The method and the path, `GET /objects/{id}`. */
  name: string
  /** The path as described. */
  template: string
  /** A request that answers 200. `object`: another object than the van. */
  path(organization: FleetRecord, object?: number | string): string
  /** Whether its request names an object. */
  hasObject: boolean
  /** Whether it is subject to the subscription: positions, and what is derived from them. */
  isOfPositions: boolean
  /** Whether caches keep its answers under an entity tag. */
  isCached: boolean
  /** The formats of its answers. */
  formats: string[]
  /** Its parameters in the query, as described. */
  query: QueryParameter[]
  /** Its answers by their statuses, as described. */
  responses: Record<number, { headers: object }>
}

export type QueryParameter = { name: string; schema: Json }

const { paths, components } = JSON.parse(
  readFileSync(join(REPOSITORY, 'packages/server/openapi.json'), 'utf8'),
) as Json

const POSITION_FIELDS = Object.keys(components.schemas.Position.properties)
/** The fields that `include=quality` adds to the 14 of a position. */
export const QUALITY_FIELDS: string[] = POSITION_FIELDS.slice(14, POSITION_FIELDS.indexOf('exact'))

/** The values of parameters that a request needs. The fleet has sent on this day. */
const VALUES: Record<string, string> = {
  ...{ from_time: '2024-05-06', to_time: '2024-05-06', time: '2024-05-07' },
  ...{ from_date: '2024-05-06', to_date: '2024-05-06' },
}
const OBJECTS = ['ids', 'object']

/** The operations that need a key, each with a request that answers 200. */
export const OPERATIONS: Operation[] = Object.entries<Json>(paths)
  .filter(([, { get }]) => get.security === undefined)
  .map(([template, { get }]) => operationOf(template, get))

/** A shared response is a reference. */
function shown(response: Json): Json {
  return response.$ref === undefined
    ? response
    : components.responses[response.$ref.split('/').at(-1)]
}

function operationOf(template: string, { operationId, parameters, responses }: Json): Operation {
  const described: Json[] = parameters.map(({ $ref }: Json) => {
    return components.parameters[$ref.split('/').at(-1)]
  })
  const isChanges = operationId === 'listChanges'
  const isOfPositions = /SubscriptionInactive/.test(responses[403]?.$ref) && !isChanges
  const query = described.filter((each) => each.in === 'query') as (Json & QueryParameter)[]
  const names = query
    .filter(({ name, required }) => required || (isOfPositions && name === 'ids'))
    .map(({ name }): string => name)
  const isOfObject = template.startsWith('/objects/')
  return {
    ...{ name: `GET ${template}`, template, isOfPositions, query },
    responses: Object.fromEntries(
      Object.entries<Json>(responses).map(([status, response]) => [status, shown(response)]),
    ),
    isCached: responses[304] !== undefined,
    hasObject: isOfObject || names.some((name) => OBJECTS.includes(name)),
    formats: described.find(({ name }) => name === 'format')?.schema.enum ?? ['json'],
    path({ objects, route }, object = objects.van) {
      const pairs = names.map((name) => `${name}=${VALUES[name] ?? object}`)
      // The state of the whole fleet has positions, too.
      if (isChanges) pairs.push('types=objects')
      const path = template.replace('{id}', String(isOfObject ? object : route))
      return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
    },
  }
}
