import type { HistoryLimits } from '../api.ts'
import type { Query } from '../exchange/request.ts'
import { type Refusal, repeatedParameter, tooManyValues } from '../refusal.ts'

/** The path's `{id}`, and what the operator and the organization have set, for reading parameters. */
export type Context = HistoryLimits & { readonly id: string; readonly timeZone: string }

/** For callers without the limits of the public API. */
export const UNLIMITED: Context = {
  maxHistoryRows: null,
  maxHistoryDays: null,
  id: '',
  timeZone: 'UTC',
}

/** A parameter, or some that are read as one. It describes and reads itself, and writes itself into links. */
export type Parameter<Value> = {
  /** By their names in the description. */
  readonly described: Readonly<Record<string, object>>
  /** The names that a request gives once at most. */
  readonly single: readonly string[]
  /** Refuses what is missing, before any value is read. */
  refuse?(query: Query, context: Context): Refusal | undefined
  /** An empty parameter counts as absent. */
  read(query: Query, context: Context): Value | Refusal
  /** The parameter in the link to the next page. */
  write?(value: Value): Readonly<Partial<Record<string, string>>>
  /** Examples of its refusals. */
  readonly refusals: readonly Refusal[]
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

type Values<Of extends Parameters> = {
  readonly [Name in keyof Of]: Of[Name] extends Parameter<infer Value> ? Value : never
}

/** The parts of a call that its parameters are read from. */
type ReadCall = {
  readonly api: { readonly historyLimits: HistoryLimits }
  readonly organization: { readonly timeZone: string }
  readonly id: string
  readonly query: Query
}

/** The parameters of an operation. */
export type ParameterSet<Of extends Parameters = Parameters> = {
  /** In the order of the description. */
  readonly documented: readonly Parameter<unknown>[]
  read(query: Query, context: Context): Values<Of> | Refusal
  /** Reads those of a call. */
  of(call: ReadCall): Values<Of> | Refusal
  /** A path with these values. */
  link(path: string, values: Values<Of>): string
}

/** The values of parameters. */
export type Asked<Of> = Of extends ParameterSet<infer Each> ? Values<Each> : never

/**
 * Parameters in the order of the description, in which links have them too. `checked`: the order in which they are refused,
 * if it is another one.
 */
export function parameterSet<Of extends Parameters>(
  parameters: Of,
  checked: readonly (keyof Of)[] = Object.keys(parameters),
): ParameterSet<Of> {
  const documented = Object.values(parameters)
  const inOrder = checked.map((name) => [name, parameters[name]!] as const)
  const single = inOrder.flatMap(([, each]) => each.single)
  const read = (query: Query, context: Context) => {
    for (const [, { refuse }] of inOrder) {
      const refusal = refuse?.(query, context)
      if (refusal !== undefined) return refusal
    }
    for (const name of single) {
      if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
    }
    const values: Partial<Record<keyof Of, unknown>> = {}
    for (const [name, parameter] of inOrder) {
      const value = parameter.read(query, context)
      if (isRefusal(value)) return value
      values[name] = value
    }
    return values as Values<Of>
  }
  return {
    documented,
    read,
    of: ({ api, id, organization, query }) =>
      read(query, { ...api.historyLimits, id, timeZone: organization.timeZone }),
    link(path, values) {
      const written = Object.entries(parameters).map(([name, { write }]) => write?.(values[name]))
      return `${path}?${new URLSearchParams(Object.assign({}, ...written))}`
    },
  }
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'status' in value
}

/** The value of a parameter. Undefined if it is absent or empty. */
export function valueIn(query: Query, name: string): string | undefined {
  return query.get(name)?.[0] || undefined
}

/**
 * The list in `ids=1,2`, or in `ids=1&ids=2` and `ids[]=1&ids[]=2`, which generated clients send. Undefined if it is
 * absent. An empty one is not absent, and no reader takes it: a client whose filter found nothing asks for nothing.
 */
export function listIn(query: Query, name: string): string | undefined {
  const lists = query.get(name)
  const bracketed = query.get(`${name}[]`)
  if (bracketed === undefined) return lists?.length === 1 ? lists[0] : lists?.join(',')
  return [...(lists ?? []), ...bracketed].join(',')
}

/** The distinct values of a list of at most `maximum`, without the spaces around them. Undefined: not given. */
export function valuesIn(
  query: Query,
  name: string,
  maximum: number,
): ReadonlySet<string> | Refusal | undefined {
  const list = listIn(query, name)
  if (list === undefined) return undefined
  const values = list.split(',', maximum + 1)
  if (values.length > maximum) return tooManyValues(name, maximum)
  return new Set(values.map((value) => value.trim()))
}

/** A text that is taken as it is. */
export function text(
  key: string,
  name: string,
  description: string,
): Parameter<string | undefined> {
  return {
    described: { [key]: { name, in: 'query', description, schema: { type: 'string' } } },
    single: [name],
    read: (query) => valueIn(query, name),
    refusals: [],
  }
}
