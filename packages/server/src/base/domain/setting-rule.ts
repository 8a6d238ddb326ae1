import { hiddenIn } from './common/plain-text.ts'
import { runAtOnce, type Steps } from './common/steps.ts'
import { parseDate, parseInstant } from './time/time.ts'

/** The part of a rule that JSON Schema has words for. Lengths of text are in UTF-16 code units. */
export type RuleSchema = Readonly<{
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: object
}>

/** The rule for the values of one setting. */
export type Rule = {
  /** The description of the admin API and the console's inputs take the limits of known values from here. */
  schema: RuleSchema
  /** Whether the value may be unknown: null, or an empty text in a file or on a command line. */
  optional: boolean
  /** Completes the sentence "<field> must be …". */
  says: string
  holds(value: unknown): boolean
  /** Reads a list from a command line. Left out: values with commas between them. */
  readList?(written: string): unknown
  /** Checks in steps a value that may be long. Undefined if it holds. */
  check?(value: unknown): Steps<Finding | undefined>
} & Words

/** The words about a setting in the description of the admin API and in the help of the command line. */
type Words = {
  description?: string
  /** In the console. Left out: the documented name as words. */
  label?: string
  /** Left out: the first sentence of the description, up to a colon. */
  help?: string
  /** The command line takes this word for null. The help has it too. */
  none?: string
  /** The value in the help: `when` of `--data-from <when>`. */
  placeholder?: string
}

/** `text` completes the sentence "it …" with the fault of a value, where that is hard to find. */
export type Finding = { text?: string }

export type Rules<Settings> = Readonly<Record<keyof Settings, Rule>>

/** A field by its documented name (`plate_number`), and the rule that its value breaks. */
export type Fault = { field: string; rule: string }

const ONE_LINE = /^\S(?:[^\t\r\n]*\S)?$/u

/** One line of text without hidden characters, safe in a list, a log line and a terminal. */
export function text(maximumLength: number): Rule {
  return matching(
    `text of 1 to ${maximumLength} characters, on one line, with no space at either end and no hidden characters`,
    (value) =>
      value.length <= maximumLength && ONE_LINE.test(value) && hiddenIn(value) === undefined,
    { minLength: 1, maxLength: maximumLength, pattern: ONE_LINE.source },
  )
}

/** Text of several lines. */
export function prose(maximumLength: number): Rule {
  return matching(
    `text of 1 to ${maximumLength} characters with no hidden characters`,
    (value) => value.length > 0 && value.length <= maximumLength && hiddenIn(value) === undefined,
    { minLength: 1, maxLength: maximumLength },
  )
}

export function matching(
  says: string,
  holds: (value: string) => boolean,
  limits: Omit<RuleSchema, 'type'> = {},
): Rule {
  return {
    schema: { type: 'string', ...limits },
    optional: false,
    says,
    holds: (value) => typeof value === 'string' && holds(value),
  }
}

export function oneOf(choices: readonly string[]): Rule {
  const says = `one of ${choices.join(', ')}`
  return matching(says, (value) => choices.includes(value), { enum: choices })
}

/** A finite number in a closed range. The message names `unit`. */
export function number(minimum: number, maximum: number, unit = ''): Rule {
  const range = `${minimum} to ${maximum}${unit === '' ? '' : ` ${unit}`}`
  return {
    schema: { type: 'number', minimum, maximum },
    optional: false,
    says: `a number from ${range}`,
    holds: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  }
}

/** A whole number in a closed range. Without a maximum, any safe integer. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Rule {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER
  return {
    schema: { type: 'integer', minimum, maximum },
    optional: false,
    says: `a whole number${isOpen ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`}`,
    holds: (value) =>
      Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  }
}

/** Any text. */
export const TEXT = matching('text', () => true)

export const ID: Rule = { ...wholeNumber(1), says: 'an id, a whole number such as 7' }

export const DATE = matching(
  'a date such as 2026-11-20',
  (value) => parseDate(value) !== undefined,
  { format: 'date' },
)
export const MOMENT = matching(
  'a moment such as 2026-11-20T10:00:00Z',
  (value) => parseInstant(value) !== undefined,
  { format: 'date-time' },
)

export const boolean: Rule = {
  schema: { type: 'boolean' },
  optional: false,
  says: 'true or false',
  holds: (value) => typeof value === 'boolean',
}

/** A list of 1 to `maximum` values. */
export function list(
  says: string,
  maximum: number,
  { items, holds }: { items: object; holds(value: unknown): boolean },
): Rule {
  return {
    schema: { type: 'array', items, minItems: 1, maxItems: maximum },
    optional: false,
    says,
    holds: (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= maximum && value.every(holds),
  }
}

export function choices(allowed: readonly string[], maximum = allowed.length): Rule {
  return list(`a list of ${allowed.join(', ')}`, maximum, {
    items: { type: 'string', enum: allowed },
    holds: (value) => allowed.includes(value as never),
  })
}

export function objectIds(maximum: number): Rule {
  return ids(`a list of up to ${maximum} ids of objects`, maximum)
}

/** `says` has the rule in words. */
export function ids(says: string, maximum: number): Rule {
  return list(says, maximum, {
    items: { type: 'integer', minimum: 1 },
    holds: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  })
}

/** `says` has the rule for each text in words. */
export function texts(says: string, maximum: number, holds: (value: string) => boolean): Rule {
  return list(says, maximum, {
    items: { type: 'string' },
    holds: (value) => typeof value === 'string' && holds(value),
  })
}

/** `words`: a text is the description. */
export function described(rule: Rule, words: string | Words): Rule {
  return { ...rule, ...(typeof words === 'string' ? { description: words } : words) }
}

/** The label of a setting in the console: `Plate number` of `plateNumber`. */
export function labelOf(key: string, { label }: Rule): string {
  const words = documentedName(key).replaceAll('_', ' ')
  return label ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** The text of a setting in the help of the command line. */
export function helpOf({ help, description = '' }: Rule): string {
  if (help !== undefined) return help
  const [sentence = ''] = description.split(/[.:](?: |$)/)
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`
}

export function optional(rule: Rule): Rule {
  return { ...rule, optional: true, holds: (value) => value === null || rule.holds(value) }
}

/**
 * Completes the sentence "<field> …" for a value that breaks the rule. Names a hidden character, because nobody can
 * see it.
 */
export function breach(rule: Rule, value: unknown, found?: Finding): string {
  const hidden = typeof value === 'string' ? hiddenIn(value) : undefined
  const finding = hidden === undefined ? found?.text : `has the hidden character ${hidden}`
  return `must be ${rule.says}${finding === undefined ? '' : `; it ${finding}`}`
}

/** Returns the first field that breaks its rule. Absent and undefined fields are not checked. */
export function firstFault<Settings extends object>(
  rules: Rules<Settings>,
  patch: Partial<Settings>,
): Fault | undefined {
  return runAtOnce(checkSettings(rules, patch))
}

/** As `firstFault`, in steps. */
export function* checkSettings<Settings extends object>(
  rules: Rules<Settings>,
  patch: Partial<Settings>,
): Steps<Fault | undefined> {
  for (const [key, value] of Object.entries(patch)) {
    const rule = rules[key as keyof Settings]
    if (value === undefined || rule === undefined) continue
    const found = yield* findingOf(rule, value)
    if (found !== undefined) return { field: documentedName(key), rule: breach(rule, value, found) }
  }
  return undefined
}

/** The fault of a value, as a finding. Undefined: the value holds. */
export function findingIn(rule: Rule, value: unknown): Finding | undefined {
  return runAtOnce(findingOf(rule, value))
}

function* findingOf(rule: Rule, value: unknown): Steps<Finding | undefined> {
  if (rule.optional && value === null) return undefined
  if (rule.check !== undefined) return yield* rule.check(value)
  return rule.holds(value) ? undefined : {}
}

export function isNumeric({ schema }: Rule): boolean {
  return schema.type === 'number' || schema.type === 'integer'
}

/** Decimal notation only: `Number` also takes '', '0x10' and 'Infinity'. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a field's value from a file or a command line. Undefined if it breaks the rule. */
export function readValue(rule: Rule, written: string): string | number | null | undefined {
  if (written === '' && rule.optional) return null
  if (isNumeric(rule) && !DECIMAL.test(written)) return undefined
  const value = isNumeric(rule) ? Number(written) : written
  return rule.holds(value) ? value : undefined
}

/** The documented name of a field: `plateNumber` becomes `plate_number`. */
export function documentedName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Minutes: 5 minutes to 7 days. */
export const GAP_RULE = {
  ...wholeNumber(5, 10_080),
  says: 'a whole number of minutes from 5 to 10080',
}

export const TIME_ZONE_RULE: Rule = matching('an IANA time zone such as Europe/Madrid', isTimeZone)

function isTimeZone(name: string): boolean {
  // Intl also takes offsets such as +03:00, which are not time zones.
  if (!/^[A-Z]/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
