import { ATTRIBUTE_RULES, MAX_ENTRIES } from './attributes/attribute-catalogue.ts'
import { inOneStep } from './common/steps.ts'
import {
  described,
  type Fault,
  type Finding,
  firstFault,
  matching,
  objectIds,
  optional,
  type Rule,
  type Rules,
  texts,
} from './setting-rule.ts'
import { DAY_MS, formatInstant, parseDate, parseInstant } from './time/time.ts'

/** Objects, and the part of their positions that is given to somebody. A null field limits nothing. */
export type Grant = {
  /** The ids of objects, ascending. */
  readonly objects: readonly number[] | null
  /** The first and the last `time_device` of visible positions, milliseconds since the epoch. */
  readonly from: number | null
  readonly until: number | null
  /** The names of attributes, ascending. Null: all public ones. */
  readonly attributes: readonly string[] | null
}

/** A grant as the operator writes it. Times are text: a date or a moment. */
export type GrantSettings = {
  objects: readonly number[] | null
  from: string | null
  until: string | null
  attributes: readonly string[] | null
}

export const MAX_GRANTS = 1_000
const MAX_NAMED_OBJECTS = 10_000
/** Bounds the intervals that are kept for the objects that grants name. */
const MAX_COMBINED = 100_000
const MAX_OBJECTS = 1_000

/** The word for no limit on the command line. */
const ALL = 'all'

const MOMENT = optional(
  matching(
    'a date such as 2026-11-20 or a moment such as 2026-11-20T10:00:00Z',
    (value) => parseDate(value) !== undefined || parseInstant(value) !== undefined,
    { pattern: /^\d{4}-?\d{2}-?\d{2}/.source },
  ),
)

export const GRANT_RULES: Rules<GrantSettings> = {
  objects: described(optional(objectIds(MAX_OBJECTS)), {
    description: 'The objects that can be read. Null: all.',
    help: `ids of objects that can be read, separated by commas, or ${ALL}`,
    none: ALL,
  }),
  from: described(MOMENT, {
    description:
      'The first `time_device` that is shown; a date means its beginning in UTC. Null: any.',
    help: `the first time that is shown: ${MOMENT.says}, or ${ALL}`,
    none: ALL,
    placeholder: 'when',
  }),
  until: described(MOMENT, {
    description: 'The last `time_device` that is shown; a date means its end in UTC. Null: any.',
    help: `the last time that is shown: ${MOMENT.says}, or ${ALL}`,
    none: ALL,
    placeholder: 'when',
  }),
  attributes: described(
    optional(
      texts('a list of names of attributes', MAX_ENTRIES, (name) =>
        ATTRIBUTE_RULES.name.holds(name),
      ),
    ),
    {
      description: 'The attributes of the catalogue that are shown. Null: all public ones.',
      help: `names of attributes that are shown, separated by commas, or ${ALL}`,
      none: ALL,
    },
  ),
}

/** The rule of a list of grants. */
export const GRANTS_RULE: Rule = {
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_GRANTS,
    items: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(GRANT_RULES).map(([name, { schema, description }]) => [
          name,
          { ...schema, type: [schema.type, 'null'], description },
        ]),
      ),
      additionalProperties: false,
    },
  },
  optional: false,
  says: `a list of 1 to ${MAX_GRANTS} grants, each with objects, from, until and attributes`,
  holds: (value) => faultIn(value) === undefined,
  check: (value) => inOneStep(() => faultIn(value)),
}

/** The fault of a list of grants. The text is about the first grant that has one. */
function faultIn(value: unknown): Finding | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_GRANTS) return {}
  for (const [index, grant] of value.entries()) {
    const fault = faultOfGrant(grant)
    if (fault !== undefined) return { text: `is invalid in grant ${index + 1}: ${fault}` }
  }
  return undefined
}

function faultOfGrant(grant: unknown): string | undefined {
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant))
    return 'it is not an object'
  const unknown = Object.keys(grant).find((name) => !Object.hasOwn(GRANT_RULES, name))
  if (unknown !== undefined) return `${unknown} is not a known field`
  const fault = firstFault(GRANT_RULES, grant as GrantSettings)
  return fault && `${fault.field} ${fault.rule}`
}

/** Reads settings that hold their rules. A date means its first millisecond as `from`, and its last one as `until`. */
export function readGrant({ objects, from, until, attributes }: Partial<GrantSettings>): Grant {
  return {
    objects: objects ? [...new Set(objects)].sort((a, b) => a - b) : null,
    from: from ? (parseDate(from) ?? Math.ceil(parseInstant(from)!)) : null,
    until: until ? lastMomentOf(until) : null,
    attributes: attributes ? [...new Set(attributes)].sort() : null,
  }
}

function lastMomentOf(written: string): number {
  const date = parseDate(written)
  return date === undefined ? Math.floor(parseInstant(written)!) : date + DAY_MS - 1
}

export function isReversed({ from, until }: Grant): boolean {
  return (from ?? 0) > (until ?? Number.POSITIVE_INFINITY)
}

/** Reads a list that holds `GRANTS_RULE`. */
export function readGrants(settings: readonly Partial<GrantSettings>[]): Grant[] | Fault {
  const grants = settings.map(readGrant)
  const reversed = grants.findIndex(isReversed)
  if (reversed >= 0)
    return fault(`has a from that is later than its until, in grant ${reversed + 1}`)
  const named = grants.reduce((sum, { objects }) => sum + (objects?.length ?? 0), 0)
  if (named > MAX_NAMED_OBJECTS)
    return fault(`must not name more than ${MAX_NAMED_OBJECTS} objects`)
  const ofAll = grants.filter(({ objects }) => objects === null).length
  if (ofAll * named > MAX_COMBINED) {
    return fault(`must not combine ${ofAll} grants of all objects with ${named} named objects`)
  }
  return grants
}

const fault = (rule: string): Fault => ({ field: 'grants', rule })

export const UNLIMITED: Grant = { objects: null, from: null, until: null, attributes: null }

/** Null if one of the grants limits nothing: then they show everything. */
export function limitingOrNull(grants: readonly Grant[]): readonly Grant[] | null {
  const isUnlimited = (grant: Grant) => Object.values(grant).every((limit) => limit === null)
  return grants.some(isUnlimited) ? null : grants
}

/** The documented form of a grant, which `readGrant` reads. */
export function grantDocument({ objects, from, until, attributes }: Grant) {
  return { objects, from: writtenTime(from), until: writtenTime(until), attributes }
}

function writtenTime(time: number | null): string | null {
  return time === null ? null : formatInstant(time)
}
