import type { IncomingMessage } from 'node:http'
import { parseJson } from '../domain/json-steps.ts'
import { checkSettings, documentedName, type Fault, type Rules } from '../domain/settings/rule.ts'
import { runAtOnce, type Steps } from '../domain/steps.ts'
import { parseInstant } from '../domain/time/time.ts'
import { gatherPieces } from '../http/body-pieces.ts'
import type { HeldMemory } from '../http/held-memory.ts'
import { busy, invalid, Refused } from './refused.ts'

/** Enough for the file of a fleet's whole catalogue, and for a route's geometry in a JSON body. */
export const MAX_BODY_BYTES = {
  file: 64 * 1024 * 1024,
  json: 4 * 1024 * 1024,
  open: 16 * 1024,
} as const

/** A longer body waits for its turn to be parsed. */
export const LONG_BODY_BYTES = 64 * 1024

/**
 * Reads a request's body. Throws `Refused` if it is too large, or if its memory is not free. `held`: null of a file,
 * of which few come at once.
 */
export async function readBody(
  message: IncomingMessage,
  most: number,
  held: HeldMemory | null,
): Promise<Buffer> {
  // The pieces of a refused body are garbage, so one of a known length is refused before it is read.
  let holding = Math.min(most, Number(message.headers['content-length'] ?? 0))
  if (held?.hold(holding) === false) throw busy(HELD)
  const pieces = gatherPieces()
  let bytes = 0
  // The rest of a refused body is read after the answer.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes <= most && bytes > holding) {
      if (held?.hold(bytes - holding) === false) throw busy(HELD)
      holding = bytes
    }
    if (bytes <= most) pieces.add(chunk)
    else pieces.clear()
  }
  if (bytes > most) {
    const advice = most === MAX_BODY_BYTES.file ? '; import it from the command line' : ''
    throw new Refused(413, 'too_large', `the body is larger than ${most} bytes${advice}`)
  }
  return pieces.join()
}

const HELD = 'the server already holds as many bodies for this organization, or for all, as it may'

/** The members of a JSON object, in steps. */
export function* parseBody(body: Buffer): Steps<Record<string, unknown>> {
  let value: unknown
  try {
    value = yield* parseJson(body.toString())
  } catch {
    throw new Refused(400, 'invalid', 'the body is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused(400, 'invalid', 'the body must be a JSON object')
  }
  return value as Record<string, unknown>
}

/**
 * The settings in a body by their documented names (`plate_number`), checked by their rules. Throws
 * `Refused` with the first field that is unknown or breaks its rule. `others`: fields that the caller
 * reads itself.
 */
export function settingsIn<Settings extends object>(
  rules: Rules<Settings>,
  body: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): Partial<Settings> {
  return runAtOnce(readSettings(rules, body, others))
}

/** As `settingsIn`, in steps. */
export function* readSettings<Settings extends object>(
  rules: Rules<Settings>,
  body: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): Steps<Partial<Settings>> {
  const keys = new Map(Object.keys(rules).map((key) => [documentedName(key), key]))
  const settings: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    if (others.includes(field)) continue
    const key = keys.get(field)
    if (key === undefined) throw invalid({ field, rule: 'is not known here' })
    settings[key] = value
  }
  refuse(yield* checkSettings(rules, settings as Partial<Settings>))
  return settings as Partial<Settings>
}

/** The settings of a new item. A field without a value and without a default is null if it may be, or missing. */
export function newSettingsIn<Settings extends object>(
  rules: Rules<Settings>,
  body: Readonly<Record<string, unknown>>,
  defaults: Partial<NoInfer<Settings>> = {},
  others: readonly string[] = [],
): Settings {
  return runAtOnce(readNewSettings(rules, body, defaults, others))
}

/** As `newSettingsIn`, in steps. */
export function* readNewSettings<Settings extends object>(
  rules: Rules<Settings>,
  body: Readonly<Record<string, unknown>>,
  defaults: Partial<NoInfer<Settings>> = {},
  others: readonly string[] = [],
): Steps<Settings> {
  const given = yield* readSettings(rules, body, others)
  const settings: Record<string, unknown> = { ...defaults, ...given }
  for (const key of Object.keys(rules) as (keyof Settings & string)[]) {
    if (rules[key].optional) settings[key] ??= null
    if (settings[key] !== undefined) continue
    throw invalid({ field: documentedName(key), rule: `is missing; it must be ${rules[key].says}` })
  }
  return settings as Settings
}

/** Throws `Refused` with the first field that is not among these. */
export function refuseOthers(
  body: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const field = Object.keys(body).find((each) => !known.includes(each))
  if (field !== undefined) throw invalid({ field, rule: 'is not known here' })
}

export function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw invalid(fault)
}

/** A time in a body, milliseconds since the epoch. Null if it is null or absent. */
export function instantIn(body: Readonly<Record<string, unknown>>, field: string): number | null {
  const value = body[field] ?? null
  if (value === null) return null
  const time = typeof value === 'string' ? parseInstant(value) : undefined
  if (time === undefined) {
    throw invalid({ field, rule: 'must be a moment such as 2026-11-20T10:00:00Z, or null' })
  }
  return Math.floor(time)
}

/** The `expires_at` of a body, which must lie ahead. Null if it is null or absent. */
export function futureIn(body: Readonly<Record<string, unknown>>, now: number): number | null {
  const expiresAt = instantIn(body, 'expires_at')
  if (expiresAt !== null && expiresAt <= now) {
    throw invalid({ field: 'expires_at', rule: 'must lie ahead' })
  }
  return expiresAt
}

export function requiredInstant(body: Readonly<Record<string, unknown>>, field: string): number {
  const time = instantIn(body, field)
  if (time === null)
    throw invalid({ field, rule: 'is missing: a moment such as 2026-11-20T10:00:00Z' })
  return time
}

/** The JSON Schema of a whole number in a query. */
export type IntegerSchema = { type: 'integer'; minimum: number; maximum: number; default?: number }

/** A whole number in a query. Without a default, 0 if it is left out. */
export function integerIn(query: URLSearchParams, field: string, schema: IntegerSchema): number {
  const written = query.get(field)
  if (written === null) return schema.default ?? 0
  const { minimum, maximum } = schema
  const value = Number(written)
  if (!/^\d{1,16}$/.test(written) || value < minimum || value > maximum) {
    throw invalid({ field, rule: `must be a whole number from ${minimum} to ${maximum}` })
  }
  return value
}
