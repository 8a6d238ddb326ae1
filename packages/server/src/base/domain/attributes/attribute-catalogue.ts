import { excerpt } from '../common/plain-text.ts'
import { OBJECT_RULES } from '../monitored-object.ts'
import { attributeValue, valueOfText } from '../position/attribute.ts'
import { FIELDS } from '../position/position-fields.ts'
import {
  boolean,
  described,
  documentedName,
  type Fault,
  list,
  matching,
  number,
  oneOf,
  optional,
  type Rule,
  type Rules,
  text,
  wholeNumber,
} from '../setting-rule.ts'
import { type GivenSource, sourcesRule } from './attribute-source.ts'

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
  /** A shown number below it counts as no value. Null: no limit. */
  readonly minimum: number | null
  /** A shown number above it counts as no value. Null: no limit. */
  readonly maximum: number | null
  /** Values that devices send when they have none. Null: there are none. */
  readonly none: readonly (number | string)[] | null
  /** The first one with a value in a fix gives the value. */
  readonly sources: readonly GivenSource[]
  /** Hours for which a value is current, if the object sends no other. Null: no limit. */
  readonly holds: number | null
  /** Whether its values end when the object is parked with the ignition off. */
  readonly endsWithIgnition: boolean
  /** Whether the number only rises, except where the device starts it again. */
  readonly isCounter: boolean
  /** A counter that rises faster in an hour is doubted. Null: only falls are doubted. */
  readonly maximumRate: number | null
  /** Whether the number is the content of a tank, which is filled and drained. */
  readonly isLevel: boolean
  /** A rise or fall of a level above it is a filling or a draining, as shown. Null: a share of the tank. */
  readonly threshold: number | null
  /** Seconds before and after a value over which a level is smoothed. */
  readonly smoothing: number
  /** Whether keys see it. */
  readonly isPublic: boolean
}

/**
 * An entry as the store keeps it. Its organization never had another entry with this id. An entry that is removed, and
 * added again, has another one.
 */
export type StoredAttribute = AttributeEntry & { readonly id: number }

/** The entries of an organization. */
export const MAX_ENTRIES = 200

export const MAX_DECIMALS = 6
const MAX_FACTOR = 1_000_000_000
/** Values that mean none. */
const MAX_NONE = 32
/** The limits of a range. */
const MAX_LIMIT = 1_000_000_000_000

/** An hour, in seconds. */
const MAX_SMOOTHING = 3_600

/** Ten years. */
const MAX_HOURS = 87_600
const TEXT_HOURS = 24

/** The hours for which values of a type are current, unless the operator says otherwise. */
export function holdsOf(type: AttributeType): number | null {
  return type === 'text' ? TEXT_HOURS : null
}

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
  minimum: null,
  maximum: null,
  none: null,
  holds: null,
  endsWithIgnition: false,
  isCounter: false,
  maximumRate: null,
  isLevel: false,
  threshold: null,
  smoothing: 300,
  isPublic: false,
} as const satisfies Partial<AttributeEntry>

/** The settings of an entry that is not a level. */
export const NO_LEVEL = {
  isLevel: false,
  threshold: null,
  smoothing: ATTRIBUTE_DEFAULTS.smoothing,
}

export const ATTRIBUTE_RULES: Rules<AttributeEntry> = {
  name: described(
    matching(
      `a name of 1 to ${MAX_NAME_CHARACTERS} characters: a to z, 0 to 9 and single _ between them, and not the name of a field of positions or objects`,
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
  label: described(text(100), 'Display name.'),
  decimals: described(
    wholeNumber(0, MAX_DECIMALS),
    `Decimals of its numbers. Default: those of a known name, otherwise ${ATTRIBUTE_DEFAULTS.decimals}.`,
  ),
  scale: described(factor(), 'Factor for the numbers that devices send. Default: 1.'),
  offset: described(number(-MAX_FACTOR, MAX_FACTOR), 'Added to the scaled number. Default: 0.'),
  minimum: described(limit(), {
    description: 'Smaller numbers, after scale and offset, count as no value. Null: no limit.',
    help: 'smaller numbers, after scale and offset, count as no value; a number, or none',
    none: 'none',
  }),
  maximum: described(limit(), {
    description: 'Greater numbers, after scale and offset, count as no value. Null: no limit.',
    help: 'greater numbers, after scale and offset, count as no value; a number, or none',
    none: 'none',
  }),
  none: described(optional(noneValues()), {
    description:
      'Values that devices send when they have none, as the devices send them: numbers or texts, such as 65535 or an empty text. Null: there are none.',
    help: 'values that devices send when they have none, separated by commas, such as 85,-127; or none',
    none: 'none',
  }),
  sources: described(sourcesRule(), {
    description:
      'The names that devices use for it, or objects that give a name a scale, an offset or a table of its own, for all objects or some. The first one with a value in a position gives the value.',
    help: 'names under which devices send it, separated by commas, or a JSON list of sources with scales of their own; the first one with a value in a position counts',
  }),
  holds: described(optional(wholeNumber(1, MAX_HOURS)), {
    description:
      'Hours for which a value stays current, up to the newest position. Default: 24 for texts, no limit for other types. Null: no limit.',
    help: 'hours for which a value is current, or none for no limit',
    none: 'none',
  }),
  endsWithIgnition: described(
    boolean,
    'Whether a value expires when the object is parked with the ignition off. The name of a driver does, for example.',
  ),
  isCounter: described(
    boolean,
    'Whether its number only increases. Trips and days then have its gain.',
  ),
  maximumRate: described(optional(number(0.001, MAX_FACTOR)), {
    description:
      'Maximum rise of its counter in an hour, as shown. A faster rise is doubted. Null: only falls are doubted.',
    help: 'maximum rise of its counter in an hour: a faster one is doubted; a number, or none',
    none: 'none',
  }),
  isLevel: described(
    boolean,
    'Whether its number is the content of a tank, which is filled and drained.',
  ),
  threshold: described(optional(number(0.001, MAX_FACTOR)), {
    description:
      'A greater change of its level, as shown, counts as filled or drained. Null: 5 % of the capacity, or 10 if there is no capacity.',
    help: 'a greater change of its level counts as filled or drained; a number, or none for 5 % of the capacity, or 10 if there is no capacity',
    none: 'none',
  }),
  smoothing: described(wholeNumber(0, MAX_SMOOTHING), {
    description: `Smoothing of its level, in seconds before and after each value: ${ATTRIBUTE_DEFAULTS.smoothing} by default. At least three values on each side count.`,
    help: `smoothing of its level, in seconds before and after each value: ${ATTRIBUTE_DEFAULTS.smoothing} by default`,
  }),
  isPublic: described(boolean, 'Whether keys see it.'),
}

/** The rule for a number that is not 0. */
function factor() {
  const range = number(-MAX_FACTOR, MAX_FACTOR)
  const says = `${range.says}, and not 0`
  return { ...range, says, holds: (value: unknown) => range.holds(value) && value !== 0 }
}

function limit(): Rule {
  return optional(number(-MAX_LIMIT, MAX_LIMIT))
}

function noneValues(): Rule {
  const says = `a list of 1 to ${MAX_NONE} numbers or texts of up to 64 bytes`
  const rule = list(says, MAX_NONE, {
    items: { type: ['number', 'string'] },
    holds: (value) => typeof value !== 'boolean' && attributeValue(value) !== undefined,
  })
  return {
    ...rule,
    readList: (written) => written.split(',').map((each) => valueOfText(each.trim())),
  }
}

/** The fault of settings that break no rule of their own, but do not fit together. */
export function entryFault(entry: AttributeEntry): Fault | undefined {
  const { type, isCounter, isLevel, minimum, maximum } = entry
  const numberAlone = NUMBER_ALONE.find((key) => entry[key] !== ATTRIBUTE_DEFAULTS[key])
  if (numberAlone !== undefined && type !== 'number') {
    return unfit(numberAlone, 'unless type is number')
  }
  if (!isCounter && entry.maximumRate !== null) {
    return unfit('maximumRate', 'unless is_counter is true')
  }
  if (isLevel && isCounter) return unfit('isLevel', 'if is_counter is true')
  const levelAlone = LEVEL_ALONE.find((key) => entry[key] !== ATTRIBUTE_DEFAULTS[key])
  if (levelAlone !== undefined && !isLevel) return unfit(levelAlone, 'unless is_level is true')
  if (minimum === null || maximum === null || minimum <= maximum) return undefined
  return { field: 'maximum', rule: 'must not be less than minimum' }
}

/** Settings that only numbers have, and only levels. */
const NUMBER_ALONE = ['isCounter', 'isLevel', 'minimum', 'maximum'] as const
const LEVEL_ALONE = ['threshold', 'smoothing'] as const

/** The fault of a setting that may only have its default. */
function unfit(key: keyof typeof ATTRIBUTE_DEFAULTS, when: string): Fault {
  return { field: documentedName(key), rule: `must be ${ATTRIBUTE_DEFAULTS[key]} ${when}` }
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
  return { field, rule: `must be names in the catalogue; it has no ${excerpt(missing)}` }
}
