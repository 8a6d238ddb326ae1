import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertError,
  DESCRIPTION,
  type Described,
  OPERATIONS,
  startConsole,
} from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { owned, targetOf } from '../harness/owned.ts'

const { operator } = await startConsole()
const own = await owned(operator, 'Own')
const { token } = await operator.post('/tokens', { role: 'operator', name: 'x' })

/** A list that a caller sends: `scope.objects` of a body, or a parameter of a query. */
type List = { path: string[]; schema: Json; isJoined?: boolean }

function resolved(schema: Json): Json {
  const { $ref } = schema
  return $ref === undefined
    ? schema
    : resolved(DESCRIPTION.components.schemas[$ref.split('/').at(-1)])
}

/** The lists of a schema, and those inside them, but no pairs of coordinates. */
function listsIn(given: Json, path: string[] = []): List[] {
  const schema = resolved(given)
  const inside = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, each]) =>
    listsIn(each, [...path, name]),
  )
  const isList = [schema.type].flat().includes('array') && schema.prefixItems === undefined
  return isList ? [{ path, schema }, ...listsIn(schema.items, [...path, '0'])] : inside
}

function bodyListsOf({ takes }: Described): List[] {
  const schema = takes?.['application/json']?.schema
  return schema === undefined ? [] : listsIn(schema)
}

function queryListsOf({ queries }: Described): List[] {
  return queries.flatMap(({ name, schema, explode }: Json) =>
    listsIn(schema, [name]).map((list) => ({ ...list, isJoined: explode === false })),
  )
}

/** A value of a list. */
function sampleOf(given: Json): unknown {
  const {
    type,
    enum: choices,
    prefixItems,
    minItems = 0,
    items,
    properties,
    oneOf,
  } = resolved(given)
  if (oneOf !== undefined) return sampleOf(oneOf[0])
  if (choices !== undefined) return choices[0]
  if (prefixItems !== undefined) return prefixItems.map(() => 1)
  if (type === 'array') return Array.from({ length: minItems }, () => sampleOf(items))
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries<Json>(properties).map(([name, each]) => [name, sampleOf(each)]),
    )
  }
  return type === 'string' ? 'a' : 1
}

function nested([name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value
  return name === '0' ? [nested(rest, value)] : { [name]: nested(rest, value) }
}

/** Settings without which an operation does not come to look at a list. */
const BEFORE: Json = { issueKey: { name: 'k' }, publishAttributes: { names: ['a'] } }

describe('A list that a caller sends', () => {
  const bodies = OPERATIONS.flatMap((operation) =>
    bodyListsOf(operation).map((list) => ({ operation, ...list })),
  )
  const queries = OPERATIONS.flatMap((operation) =>
    queryListsOf(operation).map((list) => ({ operation, ...list })),
  )

  it('is in more than 30 bodies and queries', () => assert.ok(bodies.length + queries.length > 30))

  for (const { operation, path, schema } of bodies) {
    it(`${operation.id}: ${path.join('.')} has a maximum, which is checked first`, async () => {
      const { maxItems } = schema
      assert.ok(maxItems <= 300_000, 'described')
      const value = Array.from({ length: maxItems + 1 }, () => sampleOf(schema.items))
      const target = targetOf(operation, own, token.id)
      // These are read before the list.
      const body = {
        ...BEFORE[operation.id],
        ...(nested(path, value) as Json),
      }
      const answer = await operator.ask(operation.method, target, { body })
      assertError(answer, 400, 'invalid', path.find((name) => name !== 'scope')!)
    })
  }

  for (const { operation, path, schema, isJoined } of queries) {
    it(`${operation.id}: ${path[0]} has a maximum, and must not be empty`, async () => {
      const value = String(sampleOf(schema.items))
      const values = Array.from({ length: schema.maxItems + 1 }, () => value)
      const target = targetOf(operation, own, token.id)
      const written = isJoined ? [values.join()] : values
      const query = written.map((each) => `&${path[0]}=${each}`).join('')
      assertError(await operator.ask(operation.method, target + query), 400, 'invalid', path[0])
      if (!isJoined) return
      const empty = await operator.ask(operation.method, `${target}&${path[0]}=`)
      assertError(empty, 400, 'invalid', path[0])
    })
  }
})
