import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { error, type OperationId, successes } from './schemas.ts'

const validators = new Map<TSchema, Validator>()

/**
 * Asserts that a parsed body is what the description says an operation answers with a status: every
 * field, no other one, in the documented order. For tests.
 */
export function assertConforms(operationId: OperationId, status: number, body: unknown): void {
  const schema: TSchema = status === 200 ? successes[operationId] : error
  const [fault] = validator(schema).Errors(body)
  assert.equal(fault, undefined, `${operationId} ${status}: ${JSON.stringify(fault)}`)
  assert.equal((body as { statusCode: number }).statusCode, status)
  assertOrder(schema, body, operationId)
}

function validator(schema: TSchema): Validator {
  const known = validators.get(schema) ?? Compile(schema)
  validators.set(schema, known)
  return known
}

/** JSON Schema does not speak of the order of fields; the contract does. */
function assertOrder(schema: unknown, value: unknown, path: string): void {
  const { properties, items } = schema as { properties?: object; items?: unknown }
  if (properties !== undefined) {
    assert.deepEqual(Object.keys(value as object), Object.keys(properties), `fields of ${path}`)
    for (const [name, field] of Object.entries(properties)) {
      assertOrder(field, (value as Record<string, unknown>)[name], `${path}.${name}`)
    }
  }
  if (items !== undefined) {
    for (const item of value as unknown[]) assertOrder(items, item, `${path}[]`)
  }
}
