import { switchIn } from '../common/plain-text.ts'
import type { AttributeValue } from '../position/attribute.ts'
import type { AttributeNames } from '../position/attribute-section.ts'
import { decimalText } from '../position/field-lists.ts'
import type { AttributeEntry } from './catalogue.ts'

/*
 * The value of an attribute: as a device gave it, and as answers show it.
 */

/** An entry that takes the values of a name, and the place of the name among its sources. */
type Taker = { readonly entry: number; readonly rank: number }

/** The values of one position as its device gave them, by the entries that an answer shows. */
export class RawValues {
  /** Undefined: the position carries no source of the entry. */
  readonly values: (AttributeValue | undefined)[]
  /** Whether a position had a name that came after `names` was read. */
  hasUnknown = false
  private readonly takers: readonly (readonly Taker[])[]
  private readonly ranks: number[]

  /** `names`: those of the object. */
  constructor(entries: readonly Pick<AttributeEntry, 'sources'>[], names: AttributeNames) {
    this.values = entries.map(() => undefined)
    this.ranks = entries.map(() => 0)
    this.takers = names.map(({ name }) => takersOf(entries, name))
  }

  /** Forgets the position before. */
  readonly clear = (): void => {
    this.values.fill(undefined)
  }

  /** Takes the value of the name with this index. The first source that a position carries wins. */
  readonly take = (index: number, value: AttributeValue): void => {
    const takers = this.takers[index]
    if (takers === undefined) {
      this.hasUnknown = true
      return
    }
    for (const { entry, rank } of takers) {
      if (this.values[entry] !== undefined && this.ranks[entry]! <= rank) continue
      this.values[entry] = value
      this.ranks[entry] = rank
    }
  }
}

function takersOf(entries: readonly Pick<AttributeEntry, 'sources'>[], name: string): Taker[] {
  return entries.flatMap(({ sources }, entry) => {
    const rank = sources.indexOf(name)
    return rank < 0 ? [] : [{ entry, rank }]
  })
}

/** The parts of an entry that decide how a value is shown. */
export type Mapping = Pick<AttributeEntry, 'type' | 'decimals' | 'scale' | 'offset'>

/** A shown number has at most 15 digits, so that its text is its decimal and sums of a few are exact. */
const MAX_UNITS = 999_999_999_999_999

/** The value of a device as answers show it. Undefined if it cannot have the type of the entry. */
export function shownValue(value: AttributeValue, mapping: Mapping): AttributeValue | undefined {
  switch (mapping.type) {
    case 'number': {
      const units = unitsOf(value, mapping)
      return units === undefined ? undefined : numberOf(units, mapping)
    }
    case 'boolean':
      return switchIn(value)
    case 'text':
      return String(value)
  }
}

/** The number of shown units of 10^-decimals, which may be a sum. */
export function numberOf(units: number, { decimals }: Pick<Mapping, 'decimals'>): number {
  return units / 10 ** decimals
}

/**
 * Returns the shown number in whole units of 10^-decimals: `value * scale + offset`, computed from the decimals that
 * people read (so 1.15 * 0.1 is 0.115), halves away from zero. Undefined if the value is no number, nor a text with one,
 * or has more than 15 digits of these units.
 */
export function unitsOf(value: AttributeValue, mapping: Mapping): number | undefined {
  const number = typeof value === 'number' ? value : decimalText(value)
  if (number === undefined) return undefined
  const units = nearUnits(number, mapping) ?? exactUnits(number, mapping)
  return Math.abs(units) <= MAX_UNITS ? units : undefined
}

/**
 * More than the error of floating point in `value * scale + offset`, as a part of the largest term: seven roundings of
 * 2^-53 at most.
 */
const ERROR = 2 ** -50

/** The units by floating point. Undefined if its error may decide which way they are rounded. */
function nearUnits(value: number, { scale, offset, decimals }: Mapping): number | undefined {
  const unit = 10 ** decimals
  const product = value * scale
  const size = Math.abs(product + offset) * unit
  const error = (Math.abs(product) + Math.abs(offset)) * unit * ERROR
  const whole = Math.floor(size)
  const isClear = Math.abs(size - whole - 0.5) > error
  if (!isClear) return undefined
  const units = size - whole < 0.5 ? whole : whole + 1
  return product + offset < 0 && units !== 0 ? -units : units
}

function exactUnits(value: number, { scale, offset, decimals }: Mapping): number {
  const [number, factor, added] = [decimalOf(value), decimalOf(scale), decimalOf(offset)]
  const places = Math.max(number.places + factor.places, added.places, decimals)
  const product = number.mantissa * factor.mantissa * power(places - number.places - factor.places)
  const sum = product + added.mantissa * power(places - added.places)
  return Number(withoutPlaces(sum, places - decimals))
}

/** The number `mantissa / 10^places`. */
type Decimal = { mantissa: bigint; places: number }

/** The shortest decimal that reads as this number. */
function decimalOf(value: number): Decimal {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const places = fraction.length - Number(exponent)
  const mantissa = BigInt(whole + fraction)
  return places < 0 ? { mantissa: mantissa * power(-places), places: 0 } : { mantissa, places }
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}

/** A number of units of 10^-places, rounded to whole ones, halves away from zero. */
function withoutPlaces(units: bigint, places: number): bigint {
  const whole = power(places)
  const size = units < 0n ? -units : units
  const rounded = (2n * size + whole) / (2n * whole)
  return units < 0n ? -rounded : rounded
}

/** A value that a device sent under a name, and its time in milliseconds since the epoch. Null: there is none. */
type SentValue = {
  readonly name: string
  readonly value: AttributeValue | null
  readonly at: number
}

/** The current value of an entry, as answers show it, and the name that the device used for it. */
type CurrentValue = {
  readonly value: AttributeValue
  readonly at: number
  readonly source: string
}

/**
 * The current value of an entry: that of the source that sent last, and of several at the same time the first one.
 * Undefined if there is none, or it cannot have the type of the entry.
 */
export function currentValue(
  entry: AttributeEntry,
  attributes: readonly SentValue[],
): CurrentValue | undefined {
  let newest: SentValue | undefined
  for (const source of entry.sources) {
    const sent = attributes.find(({ name }) => name === source)
    if (sent === undefined || sent.value === null) continue
    if (newest === undefined || sent.at > newest.at) newest = sent
  }
  const value = newest === undefined ? undefined : shownValue(newest.value!, entry)
  return value === undefined ? undefined : { value, at: newest!.at, source: newest!.name }
}
