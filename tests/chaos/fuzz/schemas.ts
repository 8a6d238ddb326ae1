import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import {
  type DescribedOperation,
  type Description,
  type Json,
  type Reference,
  resolved,
} from './description.ts'

/** The description's rules for the answers of one operation with one status. */
export type AnswerRules = {
  /** Undefined without a body. */
  body: ValidateFunction | undefined
  headers: { name: string; isConditional: boolean; validate: ValidateFunction }[]
}

/** Compiled once, by `operation status`; errors without an operation are under `none`. */
export type Rules = (operation: string, status: number) => AnswerRules | undefined

/** Headers that only some answers of an operation and a status have. */
const CONDITIONAL =
  /^(?:\d+ (?:link|x-quota-.*|x-records-until|x-time-zone|x-ignored-parameters)|400 retry-after)$/

export function compileRules(description: Description): Rules {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  formats.default(ajv)
  const components = closed(description.components)
  ajv.addSchema({ $id: 'description', components })
  const compiled = new Map<string, AnswerRules>()
  for (const { get } of Object.values(description.paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const rules = compileResponse(ajv, description, status, response)
      compiled.set(`${get.operationId} ${status}`, rules)
    }
  }
  const undescribed: AnswerRules = {
    body: compileSchema(ajv, { $ref: '#/components/schemas/Error' }),
    headers: [],
  }
  return (operation, status) =>
    compiled.get(`${operation} ${status}`) ??
    (isOfHttp(operation, status) ? undescribed : undefined)
}

/** Answers that any path may give, according to the prose of the description. */
function isOfHttp(operation: string, status: number): boolean {
  return operation === 'none' ? status >= 400 && status < 500 : status === 405
}

function compileResponse(
  ajv: Ajv2020,
  description: Description,
  status: string,
  response: DescribedOperation['responses'][string],
): AnswerRules {
  const { content, headers = {} } = resolved(description, response)
  const schema = content?.['application/json'].schema
  return {
    body: schema === undefined ? undefined : compileSchema(ajv, closed(schema)),
    headers: Object.entries(headers as Record<string, Reference>).map(([name, header]) => ({
      name: name.toLowerCase(),
      isConditional: CONDITIONAL.test(`${status} ${name.toLowerCase()}`),
      validate: compileSchema(ajv, resolved(description, header).schema),
    })),
  }
}

function compileSchema(ajv: Ajv2020, schema: Json): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/')))
}

/** The fault of a header by the rules; all values are text, regardless of the schema. */
export function headerFault(
  { headers }: AnswerRules,
  sent: ReadonlyMap<string, string[]>,
): string | undefined {
  for (const { name, isConditional, validate } of headers) {
    const values = sent.get(name)
    if (values === undefined && isConditional) continue
    if (values?.length !== 1) return `${name} appears ${values?.length ?? 0} times`
    const [value] = values
    if (!validate(value) && !(/^\d+$/.test(value!) && validate(Number(value)))) {
      return `${name} is ${value}`
    }
  }
  return undefined
}

/**
 * The description allows additional fields in the future. In answers of today every field must be described, so
 * that none leaks.
 */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)])
  const copy = Object.fromEntries(parts)
  return copy.type === 'object' && copy.properties !== undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
