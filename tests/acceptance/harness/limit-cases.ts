import { DESCRIPTION } from './admin.ts'
import type { Json } from './fleetgate.ts'

/** A value at a limit of a schema, or one beyond it. */
export type LimitCase = {
  value: Json
  isAllowed: boolean
  /** The field that a refusal names; undefined for the value itself. */
  field?: string
  /** The words of a refusal that name the limit. */
  says?: string
}

/** Not 0.1, so that the sum is exact enough next to 100,000,000. */
const A_LITTLE = 1 / 1_024

let texts = 0

/** A text of this many characters that no earlier call returned. */
export function newText(length: number): string {
  texts += 1
  return String.fromCharCode(0x4e00 + texts) + 'x'.repeat(length - 1)
}

/** The fields of a body that may hold any text or any number. */
export function unlimitedFields(body: Json): string[] {
  return Object.entries<Json>(resolved(body).properties).flatMap(([name, field]) => {
    const schema = resolved(field)
    if (schema.properties !== undefined) return unlimitedFields(schema)
    const isOpen = [schema.type]
      .flat()
      .some((type) => ['string', 'number', 'integer'].includes(type))
    return isOpen && !LIMITS.some((limit) => schema[limit] !== undefined) ? [name] : []
  })
}

const LIMITS = ['minimum', 'maxLength', 'pattern', 'enum', 'format']

export function resolved(schema: Json): Json {
  if (schema.$ref === undefined) return schema
  return DESCRIPTION.components.schemas[schema.$ref.split('/').at(-1)]
}

/** The values at each limit of a schema, and those just beyond it. `sample` is a value that it allows. */
export function limitCases(described: Json, sample: Json): LimitCase[] {
  const schema = resolved(described)
  const types: string[] = [schema.type].flat()
  const ofNull = { value: null, isAllowed: types.includes('null') }
  if (schema.enum !== undefined) return [ofNull, ...ofChoices(schema)]
  return [ofNull, ...types.flatMap((type) => OF_TYPE[type]!(schema, sample))]
}

const OF_TYPE: Record<string, (schema: Json, sample: Json) => LimitCase[]> = {
  null: () => [],
  string: ofText,
  integer: ofNumber,
  number: ofNumber,
  boolean: () => [
    { value: false, isAllowed: true },
    { value: true, isAllowed: true },
    { value: 'true', isAllowed: false },
  ],
  array: ofArray,
  object: ofObject,
}

function ofChoices({ enum: choices }: Json): LimitCase[] {
  const words: string[] = choices.filter((each: Json) => each !== null)
  return [
    ...words.map((value) => ({ value, isAllowed: true })),
    { value: `${words[0]}x`, isAllowed: false, says: words.join(', ') },
  ]
}

function ofText({ minLength, maxLength, pattern, format }: Json): LimitCase[] {
  const cases: LimitCase[] = []
  /** A text of any characters, or of plain ones if the pattern has no others. */
  const textOf = (length: number) => {
    const text = newText(length)
    return pattern === undefined || new RegExp(pattern, 'u').test(text) ? text : 'x'.repeat(length)
  }
  if (minLength !== undefined) {
    cases.push({ value: textOf(minLength), isAllowed: true })
    cases.push({ value: 'x'.repeat(minLength - 1), isAllowed: false, says: `${minLength} to ` })
  }
  if (maxLength !== undefined) {
    cases.push({ value: textOf(maxLength), isAllowed: true })
    cases.push({ value: textOf(maxLength + 1), isAllowed: false, says: ` to ${maxLength} ` })
  }
  if (pattern !== undefined) cases.push({ value: ' \n', isAllowed: false })
  if (format === 'date-time') cases.push({ value: 'tomorrow', isAllowed: false })
  return cases
}

function ofNumber({ type, minimum, maximum }: Json): LimitCase[] {
  const isWhole = [type].flat().includes('integer')
  const step = isWhole ? 1 : A_LITTLE
  const cases: LimitCase[] = isWhole ? [{ value: 1.5, isAllowed: false }] : []
  if (minimum !== undefined) {
    cases.push({ value: minimum, isAllowed: true })
    cases.push({ value: minimum - step, isAllowed: false, says: String(minimum) })
  }
  if (maximum !== undefined) {
    const says = maximum === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${maximum}`
    cases.push({ value: maximum, isAllowed: true })
    cases.push({ value: maximum + step, isAllowed: false, says })
  }
  return cases
}

const MAX_SENT_ITEMS = 10_000

/** The members of a list have no field of their own. */
function ofArray({ items, prefixItems, minItems, maxItems }: Json, sample: Json[]): LimitCase[] {
  const members: [Json, number][] = prefixItems?.map((each: Json, at: number) => [each, at]) ?? [
    [items, 0],
  ]
  const cases = members.flatMap(([schema, at]) =>
    limitCases(schema, sample[at]).map(({ value, isAllowed }) => ({
      value: sample.with(at, value),
      isAllowed,
    })),
  )
  if (minItems !== undefined) {
    cases.push({ value: sample.slice(0, minItems), isAllowed: true })
    cases.push({ value: sample.slice(0, minItems - 1), isAllowed: false })
  }
  // A longer list does not fit into a short body: `lists.test.ts` sends each list above its maximum.
  if (maxItems <= MAX_SENT_ITEMS) {
    const value = Array.from({ length: maxItems + 1 }, (_, at) => sample[at % sample.length])
    cases.push({ value, isAllowed: false })
  }
  return cases
}

/** In place of a field that a sample lacks. */
function sampleOf(schema: Json): Json {
  const { type, items } = resolved(schema)
  if (![type].flat().includes('array')) return {}
  return [items.type === 'string' ? 'a' : 1]
}

function ofObject(schema: Json, sample: Json): LimitCase[] {
  const { properties, required = [], additionalProperties } = schema
  const cases = Object.entries<Json>(properties).flatMap(([name, each]) =>
    limitCases(each, sample[name] ?? sampleOf(each)).map((inner) => ({
      ...inner,
      value: { ...sample, [name]: inner.value },
      field: inner.field ?? name,
    })),
  )
  for (const name of required as string[]) {
    const { [name]: _, ...value } = sample
    cases.push({ value, isAllowed: false, field: name })
  }
  if (additionalProperties === false) {
    const value = { ...sample, unheard_of: 1 }
    cases.push({ value, isAllowed: false, field: 'unheard_of', says: 'is not a known field' })
  }
  return cases
}
