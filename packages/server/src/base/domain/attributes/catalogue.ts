import { excerpt } from '../common/plain-text.ts'
import { OBJECT_RULES } from '../monitored-object.ts'
import { isDeviceName } from '../position/attribute.ts'
import { FIELDS } from '../position/fields.ts'
import {
  boolean,
  breach,
  described,
  documentedName,
  type Fault,
  matching,
  number,
  oneOf,
  optional,
  type Rules,
  text,
  texts,
  wholeNumber,
} from '../setting-rule.ts'

export const ATTRIBUTE_TYPES = ['number', 'boolean', 'text'] as const
type AttributeType = (typeof ATTRIBUTE_TYPES)[number]

/** An entry of an organization's catalogue of attributes: how values of devices are shown. */
export type AttributeEntry = {
  /** Unique in its organization. Answers have the value under this name. */
  readonly name: string
  readonly type: AttributeType
  readonly unit: string | null
  /** The name that people read. */
  readonly label: string
  /** A number is shown as a whole number of 10^-decimals, so that sums of shown numbers are exact. */
  readonly decimals: number
  /** A number is shown as `value * scale + offset`. */
  readonly scale: number
  readonly offset: number
  /** The names that devices use for it. The value comes from the first name that a fix has. */
  readonly sources: readonly string[]
  /** Whether the number only rises, except where the device starts it again. */
  readonly isCounter: boolean
  /** Whether keys see it. */
  readonly isPublic: boolean
}

/** The entries of an organization. */
export const MAX_ENTRIES = 200

/** The names of devices that one entry takes. */
const MAX_SOURCES = 16
export const MAX_DECIMALS = 6
const MAX_FACTOR = 1_000_000_000

export const MAX_NAME_CHARACTERS = 40
/**
 * No name has two underscores in a row, because those separate a name from a statistic in the name of a column:
 * `fuel_used__gain`.
 */
const NAME = /^[a-z0-9]+(_[a-z0-9]+)*$/
/** The members that answers write next to attributes: those of positions, and those of objects that no position has. */
const WRITTEN_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.keys(FIELDS),
  ...['exact', 'attributes', 'attributes_at'],
  ...['time_last_idle', 'time_last_move', 'time_last_stop', 'vehicle_data', 'created_at'],
  ...Object.keys(OBJECT_RULES).map(documentedName),
])

/** Whether an answer with attributes has a member or a column of this name. */
export function isFieldName(name: string): boolean {
  return WRITTEN_MEMBERS.has(name)
}

export const ATTRIBUTE_DEFAULTS = {
  unit: null,
  decimals: 2,
  scale: 1,
  offset: 0,
  isCounter: false,
  isPublic: false,
} as const satisfies Partial<AttributeEntry>

export const ATTRIBUTE_RULES: Rules<AttributeEntry> = {
  name: described(
    matching(
      `a name of 1 to ${MAX_NAME_CHARACTERS} characters: a to z, 0 to 9 and single _ between them, and no field of positions or objects`,
      (value) => value.length <= MAX_NAME_CHARACTERS && NAME.test(value) && !isFieldName(value),
      { pattern: NAME.source, maxLength: MAX_NAME_CHARACTERS },
    ),
    { description: 'The name in answers.', help: 'name in answers' },
  ),
  type: described(oneOf(ATTRIBUTE_TYPES), 'The type of its values.'),
  unit: described(optional(text(20)), {
    description: 'The unit of its numbers. Null: none.',
    help: 'unit of its numbers, or none',
    none: 'none',
  }),
  label: described(text(100), 'The name that people read.'),
  decimals: described(
    wholeNumber(0, MAX_DECIMALS),
    `Decimals of its numbers: by default those of a known name, else ${ATTRIBUTE_DEFAULTS.decimals}.`,
  ),
  scale: described(factor(), 'The server multiplies the numbers of devices by it: 1 by default.'),
  offset: described(number(-MAX_FACTOR, MAX_FACTOR), 'Added to the scaled number: 0 by default.'),
  sources: described(
    texts(
      `a list of 1 to ${MAX_SOURCES} names of 1 to 64 bytes without control characters`,
      MAX_SOURCES,
      isDeviceName,
    ),
    {
      description:
        'The names that devices use for it. The value comes from the first name that a position has.',
      help: 'names under which devices send it, separated by commas; the first one in a position counts',
    },
  ),
  isCounter: described(
    boolean,
    'Whether its number only rises, so that trips and days have its gain.',
  ),
  isPublic: described(boolean, 'Whether keys see it.'),
}

/** The rule for a number that is not 0. */
function factor() {
  const range = number(-MAX_FACTOR, MAX_FACTOR)
  const says = `${range.says}, and not 0`
  return { ...range, says, holds: (value: unknown) => range.holds(value) && value !== 0 }
}

/** The fault of settings that break no rule of their own, but do not fit together. */
export function entryFault({ type, isCounter }: AttributeEntry): Fault | undefined {
  if (!isCounter || type === 'number') return undefined
  return {
    field: 'is_counter',
    rule: breach({ ...boolean, says: 'false unless type is number' }, isCounter),
  }
}

/** The fault of names that are not all in the catalogue. */
export function missingName(
  entries: readonly AttributeEntry[],
  names: readonly string[],
  field: string,
): Fault | undefined {
  const known = new Set(entries.map(({ name }) => name))
  const missing = names.find((name) => !known.has(name))
  if (missing === undefined) return undefined
  return { field, rule: `must be names of the catalogue; it has no ${excerpt(missing)}` }
}
