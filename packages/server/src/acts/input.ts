import { runAtOnce, type Steps } from '../base/domain/common/steps.ts'
import {
  checkSettings,
  documentedName,
  type Fault,
  type Rules,
} from '../base/domain/setting-rule.ts'
import { parseInstant } from '../base/domain/time/time.ts'
import * as doc from './document-schema.ts'
import { invalid } from './refused.ts'

export type Body = Readonly<Record<string, unknown>>

/** The body that an act takes: the schema that describes it, and the function that checks it. */
export type Input<Settings> = {
  schema: doc.Schema
  rules: Rules<object>
  /**
   * Throws `Refused` with the first field that is unknown or breaks its rule. `defaults` take the place of those of
   * the input.
   */
  in(body: Body, defaults?: Partial<Settings>): Settings
  /** As `in`, in steps. */
  inSteps(body: Body): Steps<Settings>
}

/**
 * The settings of a new item. `more`: fields that the caller reads itself. `required`: settings that may be null and
 * may not be left out.
 */
export function newInput<Settings extends object>(
  name: string,
  rules: Rules<Settings>,
  defaults: Partial<NoInfer<Settings>>,
  description: string,
  more: doc.Fields = {},
  required: readonly (keyof NoInfer<Settings>)[] = [],
): Input<Settings> {
  const fields = { ...doc.settingFields(rules), ...more }
  const { schema } = doc.newOf(fields, defaults, description, required as readonly string[])
  return inputOf(name, schema, rules, (body, instead) =>
    readNewSettings(rules, body, { ...defaults, ...instead }, Object.keys(more), required),
  )
}

/** The settings of an item that change. */
export function patchInput<Settings extends object>(
  name: string | null,
  rules: Rules<Settings>,
  description: string,
  more: doc.Fields = {},
): Input<Partial<Settings>> {
  const { schema } = doc.patchOf({ ...doc.settingFields(rules), ...more }, description)
  return inputOf(name, schema, rules, (body) => readSettings(rules, body, Object.keys(more)))
}

/** Fields that the caller reads itself, and no others. */
export function fieldsInput(name: string, fields: doc.Fields, description: string): Input<Body> {
  return inputOf(name, doc.objectSchema(fields, description), {}, function* (body) {
    yield* readSettings({}, body, Object.keys(fields))
    return body
  })
}

function inputOf<Settings>(
  name: string | null,
  schema: doc.Schema,
  rules: Rules<object>,
  inSteps: (body: Body, defaults?: Partial<Settings>) => Steps<Settings>,
): Input<Settings> {
  if (name !== null) doc.named(name, { schema })
  return { schema, rules, in: (body, defaults) => runAtOnce(inSteps(body, defaults)), inSteps }
}

/**
 * The settings in a body by their documented names (`plate_number`), checked by their rules. Throws
 * `Refused` with the first field that is unknown or breaks its rule. `others`: fields that the caller
 * reads itself.
 */
function* readSettings<Settings extends object>(
  rules: Rules<Settings>,
  body: Body,
  others: readonly string[],
): Steps<Partial<Settings>> {
  const keys = new Map(Object.keys(rules).map((key) => [documentedName(key), key]))
  const settings: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    if (others.includes(field)) continue
    const key = keys.get(field)
    if (key === undefined) throw invalid({ field, rule: 'is not a known field' })
    settings[key] = value
  }
  refuse(yield* checkSettings(rules, settings as Partial<Settings>))
  return settings as Partial<Settings>
}

/** The settings of a new item. A field without a value and without a default is null if it may be, or missing. */
function* readNewSettings<Settings extends object>(
  rules: Rules<Settings>,
  body: Body,
  defaults: Partial<NoInfer<Settings>>,
  others: readonly string[],
  required: readonly (keyof Settings)[],
): Steps<Settings> {
  const given = yield* readSettings(rules, body, others)
  const settings: Record<string, unknown> = { ...defaults, ...given }
  for (const key of Object.keys(rules) as (keyof Settings & string)[]) {
    if (rules[key].optional && !required.includes(key)) settings[key] ??= null
    if (settings[key] !== undefined) continue
    throw invalid({
      field: documentedName(key),
      rule: `is required and must be ${rules[key].says}`,
    })
  }
  return settings as Settings
}

export function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw invalid(fault)
}

/** A time in a body, milliseconds since the epoch. Null if it is null or absent. */
export function instantIn(body: Body, field: string): number | null {
  const value = body[field] ?? null
  if (value === null) return null
  const time = typeof value === 'string' ? parseInstant(value) : undefined
  if (time === undefined) {
    throw invalid({ field, rule: 'must be a moment such as 2026-11-20T10:00:00Z, or null' })
  }
  return Math.floor(time)
}

/** The `expires_at` of a body, which must be in the future. Null if it is null or absent. */
export function futureIn(body: Body, now: number): number | null {
  const expiresAt = instantIn(body, 'expires_at')
  if (expiresAt !== null && expiresAt <= now) {
    throw invalid({ field: 'expires_at', rule: 'must be in the future' })
  }
  return expiresAt
}

/** The milliseconds of a text that the rule of moments holds. */
export function momentOf(written: string): number {
  return Math.floor(parseInstant(written)!)
}
