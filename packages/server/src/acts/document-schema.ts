import { documentedName, type Rule, type Rules } from '../base/domain/setting-rule.ts'
import { formatDate, formatInstant } from '../base/domain/time/time.ts'

/**
 * A part of a document: the JSON Schema that describes it, and the function that writes it from a value of the
 * program. Times are ISO 8601 in UTC with milliseconds, days `YYYY-MM-DD` in UTC.
 */
export type Field<Value, Written = Value> = {
  schema: Schema
  write(value: Value): Written
  /** Whether an object may lack it. */
  isOptional?: true
}

export type Schema = Readonly<Record<string, unknown>>
export type Fields = Readonly<Record<string, Field<never, unknown>>>

type CamelOf<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelOf<Tail>>}`
  : Name
type SnakeOf<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeOf<Rest>}`
  : ''

/** The program's object of which a document is written: the field `created_at` is its `createdAt`. */
export type SourceOf<Of extends Fields> = {
  readonly [Name in keyof Of & string as CamelOf<Name>]: Parameters<Of[Name]['write']>[0]
}
export type WrittenOf<Of extends Fields> = {
  [Name in keyof Of]: ReturnType<Of[Name]['write']>
}

/** A document: an object with these fields and no others. */
export type Document<Of extends Fields> = Field<SourceOf<Of>, WrittenOf<Of>> & { fields: Of }

/** The names of schemas in a description. */
const NAMES = new WeakMap<object, string>()

export function nameOf(schema: object): string | undefined {
  return NAMES.get(schema)
}

/** A description lists the schema under this name, and refers to it. */
export function named<Of extends { schema: Schema }>(name: string, field: Of): Of {
  NAMES.set(field.schema, name)
  return field
}

/** A value that is written as it is. */
export function plain<Value>(schema: Schema, description?: string): Field<Value> {
  const described = description === undefined ? schema : { ...schema, description }
  return { schema: described, write: (value) => value }
}

export const text = (description: string) => plain<string>({ type: 'string' }, description)
export const integer = (description: string) => plain<number>({ type: 'integer' }, description)
export const real = (description: string) => plain<number>({ type: 'number' }, description)
export const yes = (description: string) => plain<boolean>({ type: 'boolean' }, description)

export const instant = (description: string): Field<number, string> => ({
  schema: { type: 'string', format: 'date-time', description },
  write: formatInstant,
})
/** A number of days since the epoch. */
export const day = (description: string): Field<number, string> => ({
  schema: { type: 'string', format: 'date', description },
  write: formatDate,
})

export const orNull = <Value>(type: string, description: string, more: Schema = {}) =>
  plain<Value | null>({ type: [type, 'null'], ...more }, description)
export const textOrNull = (description: string) => orNull<string>('string', description)
export const integerOrNull = (description: string) => orNull<number>('integer', description)
export const realOrNull = (description: string) => orNull<number>('number', description)
export const instantOrNull = (description: string): Field<number | null, string | null> => ({
  schema: { type: ['string', 'null'], format: 'date-time', description },
  write: writtenInstant,
})

/** `2026-11-20T10:00:00.000Z`. Null if there is no time, or it cannot be written. */
export function writtenInstant(time: number | null): string | null {
  if (time === null) return null
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9_999 ? formatInstant(time) : null
}

export const choice = <const Choices extends readonly string[]>(
  choices: Choices,
  description: string,
) => plain<Choices[number]>({ type: 'string', enum: choices }, description)

export const choiceOrNull = <const Choices extends readonly string[]>(
  choices: Choices,
  description: string,
) => orNull<Choices[number]>('string', description, { enum: [...choices, null] })

export function optional<Value, Written>(field: Field<Value, Written>) {
  return { ...field, isOptional: true } as const
}

export function list<Value, Written>(
  { schema, write }: Field<Value, Written>,
  description?: string,
): Field<readonly Value[], Written[]> {
  const described = description === undefined ? {} : { description }
  return {
    schema: { type: 'array', items: schema, ...described },
    write: (values) => values.map(write),
  }
}

export const texts = (description: string) => list(plain<string>({ type: 'string' }), description)

/** `name`: as of `named`. */
export function record<Of extends Fields>(
  fields: Of,
  description: string,
  name?: string,
): Document<Of> {
  const parts = Object.entries(fields).map(([name, { write }]) => ({
    name,
    key: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    write,
  }))
  const schema = objectSchema(fields, description)
  if (name !== undefined) NAMES.set(schema, name)
  return {
    schema,
    fields,
    write(source) {
      const written: Record<string, unknown> = {}
      for (const { name, key, write } of parts) written[name] = write(source[key as never] as never)
      return written as WrittenOf<Of>
    },
  }
}

/** A record or null. */
export const recordOrNull = <Of extends Fields>({ schema, write }: Document<Of>) => ({
  schema: { ...schema, type: ['object', 'null'] },
  write: (source: Parameters<typeof write>[0] | null) => (source === null ? null : write(source)),
})

export const items = <Value, Written>(
  item: Field<Value, Written>,
  description: string,
  name?: string,
) => record({ items: list(item) }, description, name)

export function objectSchema(fields: Fields, description: string): Schema {
  const required = Object.keys(fields).filter((name) => !fields[name]!.isOptional)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: schemasOf(fields),
    description,
    additionalProperties: false,
  }
}

function schemasOf(fields: Fields): Schema {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))
}

/** The schema of the values that a rule allows. */
export function ruled<Value>(
  { schema, optional, description }: Rule,
  instead = description,
): Field<Value> {
  if (!optional) return plain(schema, instead)
  const { type, enum: choices } = schema
  const orNone = choices && { enum: [...choices, null] }
  return plain({ ...schema, ...orNone, type: [type, 'null'] }, instead)
}

/** A field for each setting. */
export function settingFields<Settings extends object>(rules: Rules<Settings>) {
  const fields = Object.entries<Rule>(rules).map(([key, rule]) => [
    documentedName(key),
    ruled(rule),
  ])
  return Object.fromEntries(fields) as {
    [Key in keyof Settings & string as SnakeOf<Key>]: Field<Settings[Key]>
  }
}

/** The schema of a new item: a field that may be null or has a default may be left out. */
export function newOf(
  fields: Fields,
  defaults: object,
  description: string,
  required: readonly string[] = [],
): { schema: Schema } {
  const known = Object.keys(defaults).map(documentedName)
  const isOptional = (name: string) =>
    known.includes(name) || (isNullable(fields[name]!.schema) && !required.includes(name))
  return { schema: objectSchema(optionalIn(fields, isOptional), description) }
}

/** The schema of a change: a field that is left out stays as it is. */
export function patchOf(fields: Fields, description: string): { schema: Schema } {
  return {
    schema: objectSchema(
      optionalIn(fields, () => true),
      description,
    ),
  }
}

function optionalIn(fields: Fields, isOptional: (name: string) => boolean): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isOptional(name) ? optional(field) : field,
    ]),
  )
}

function isNullable({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('null')
}
