import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { badRequestsOf, errorsOf } from '../src/faces/api/documentation/openapi.ts'
import type { Operation } from '../src/faces/api/operation.ts'
import { OPERATIONS } from '../src/faces/api/operations/api-operations.ts'
import { bodyOf, error } from '../src/read/schemas/schemas.ts'

const validators = new Map<TSchema, Validator>()
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Asserts that a parsed body is as the description says for an operation and status. Every
 * field is there and no other, in the documented order, and times have one form.
 */
export function assertConforms(operationId: string, status: number, body: unknown): void {
  const at = `${operationId} ${status}`
  const operation = OPERATIONS.find(({ id }) => id === operationId)!
  const schema = status === 200 ? bodyOf(operation.result) : error
  const [fault] = validator(schema).Errors(body)
  assert.equal(fault, undefined, `${at}: ${JSON.stringify(fault)}`)
  assert.equal((body as { statusCode: number }).statusCode, status)
  assert.ok(isDocumented(operation, status), `${at} is not in the description`)
  assertExact(schema, body, at)
}

function isDocumented(operation: Operation, status: number): boolean {
  if (status === 400) return badRequestsOf(operation).length > 0
  return status === 200 || status in errorsOf(operation)
}

function validator(schema: TSchema): Validator {
  const known = validators.get(schema) ?? Compile(schema)
  validators.set(schema, known)
  return known
}

/** The contract's demands on our own answers that the schema does not promise to readers. */
function assertExact(schema: unknown, value: unknown, at: string): void {
  const { format, items, oneOf, properties, required } = schema as {
    format?: string
    required?: string[]
    items?: unknown
    oneOf?: TSchema[]
    properties?: object
  }
  if (oneOf !== undefined) {
    assertExact(
      oneOf.find((each) => validator(each).Check(value)),
      value,
      at,
    )
  }
  if (format === 'date-time' && value !== null) assert.match(value as string, INSTANT, at)
  if (properties !== undefined) {
    const isThere = (name: string) => required?.includes(name) || name in (value as object)
    const fields = Object.keys(properties).filter(isThere)
    assert.deepEqual(Object.keys(value as object), fields, `fields of ${at}`)
    for (const [name, field] of Object.entries(properties)) {
      if (isThere(name))
        assertExact(field, (value as Record<string, unknown>)[name], `${at}.${name}`)
    }
  }
  if (items !== undefined) {
    for (const item of value as unknown[]) assertExact(items, item, `${at}[]`)
  }
}
