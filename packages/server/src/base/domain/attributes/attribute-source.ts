import { excerpt } from '../common/plain-text.ts'
import { isDeviceName } from '../position/attribute.ts'
import { list, type Rule } from '../setting-rule.ts'

/*
 * The sources of an attribute: the names of devices that it takes, and how their numbers become its own.
 */

/** Without scale, offset and table, those of the entry hold. */
export type Source = {
  readonly name: string
  readonly scale?: number
  readonly offset?: number
  /** Points of a sent and a shown number, by the sent number, ascending. Numbers between two points are interpolated. */
  readonly table?: readonly (readonly [sent: number, shown: number])[]
  /** The objects whose values it takes. Absent: all. */
  readonly objects?: readonly number[]
  /** The capacity of the tank of these objects. A greater number counts as no value. */
  readonly capacity?: number
}

/** A name alone is a source without settings of its own. */
export type GivenSource = string | Source

export function sourceOf(given: GivenSource): Source {
  return typeof given === 'string' ? { name: given } : given
}

/** The names that devices use for an entry, each once. */
export function sourceNames({ sources }: { sources: readonly GivenSource[] }): string[] {
  return [...new Set(sources.map((each) => sourceOf(each).name))]
}

/** The names of an entry, each of which every object may send. */
const MAX_NAMES = 16
/** Vehicles with tanks of their own have sources of their own. */
const MAX_SOURCES = 500
const MAX_POINTS = 64
const MAX_OBJECTS = 1_000
const MAX_FACTOR = 1_000_000_000

const isFactor = (value: unknown) => typeof value === 'number' && Math.abs(value) <= MAX_FACTOR

const HOLDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: (value) => typeof value === 'string' && isDeviceName(value),
  scale: (value) => isFactor(value) && value !== 0,
  offset: isFactor,
  table: isTable,
  objects: (value) =>
    isList(value, 1, MAX_OBJECTS) &&
    value.every((id) => Number.isSafeInteger(id) && Number(id) > 0),
  capacity: (value) => isFactor(value) && Number(value) > 0,
}

function isList(value: unknown, least: number, most: number): value is unknown[] {
  return Array.isArray(value) && value.length >= least && value.length <= most
}

function isTable(value: unknown): boolean {
  const isPoint = (point: unknown) => isList(point, 2, 2) && point.every(isFactor)
  if (!isList(value, 2, MAX_POINTS) || !value.every(isPoint)) return false
  const sent = (value as [number, number][]).map(([x]) => x)
  return sent.every((x, index) => index === 0 || sent[index - 1]! < x)
}

function isSource(value: unknown): value is GivenSource {
  return wrongPart(value) === undefined
}

/** The part of a source that breaks its rule. Undefined: none does. */
function wrongPart(value: unknown): string | undefined {
  if (typeof value === 'string') return isDeviceName(value) ? undefined : 'name'
  if (typeof value !== 'object' || value === null || !('name' in value)) return 'name'
  if ('table' in value && ('scale' in value || 'offset' in value)) return 'table'
  const parts = Object.entries(value)
  return parts.find(([key, each]) => !(Object.hasOwn(HOLDS, key) && HOLDS[key]!(each)))?.[0]
}

const FACTOR = { type: 'number', minimum: -MAX_FACTOR, maximum: MAX_FACTOR }

const ITEM = {
  type: ['string', 'object'],
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'The name that devices use.' },
    scale: {
      ...FACTOR,
      description: 'Overrides the attribute’s. Default: 1 if there is an offset.',
    },
    offset: {
      ...FACTOR,
      description: 'Overrides the attribute’s. Default: 0 if there is a scale.',
    },
    table: {
      type: 'array',
      items: { type: 'array', items: FACTOR, minItems: 2, maxItems: 2 },
      minItems: 2,
      maxItems: MAX_POINTS,
      description:
        'Instead of scale and offset: points of a sent and a shown number, by the sent number, ascending. Numbers between two points are interpolated. Outside the points there is no value.',
    },
    objects: {
      type: 'array',
      items: { type: 'integer', minimum: 1 },
      minItems: 1,
      maxItems: MAX_OBJECTS,
      description: 'Ids of the objects whose values it takes. Default: all.',
    },
    capacity: {
      ...FACTOR,
      minimum: 0,
      description:
        'Capacity of the tank of these objects: a greater shown number counts as no value.',
    },
  },
}

/** Names with commas between them, or JSON. */
function readSources(written: string): unknown {
  if (!written.startsWith('[')) return written.split(',').map((name) => name.trim())
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}

/** The rule for the sources of an entry. */
export function sourcesRule(): Rule {
  const says = `a list of 1 to ${MAX_SOURCES} sources with up to ${MAX_NAMES} names of 1 to 64 bytes without control characters`
  const rule = list(says, MAX_SOURCES, { items: ITEM, holds: isSource })
  const holds = (value: unknown) =>
    rule.holds(value) && sourceNames({ sources: value as GivenSource[] }).length <= MAX_NAMES
  return {
    ...rule,
    holds,
    readList: readSources,
    *check(value) {
      if (holds(value)) return undefined
      if (!Array.isArray(value)) return {}
      const index = value.findIndex((each) => !isSource(each))
      if (index < 0) return {}
      const part = excerpt(wrongPart(value[index])!)
      return { text: `has an invalid part in source ${index + 1}: ${part}` }
    },
  }
}
