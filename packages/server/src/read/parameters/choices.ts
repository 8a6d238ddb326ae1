import {
  CHANGE_TYPES,
  CHANGES_FROM,
  type ChangesFrom,
  type ChangeType,
} from '../../base/domain/item-rules.ts'
import { INCLUDED, type Included, includedBy } from '../../base/domain/position/field-lists.ts'
import type { Query } from '../exchange/request.ts'
import { differsFromCursor, invalidChoice, type Refusal } from '../refusal.ts'
import { isRefusal, type Parameter, valueIn, valuesIn } from './parameter.ts'

function oneOf<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice | Refusal {
  return choices.find((choice) => choice === text) ?? invalidChoice(name, text, choices)
}

/** The words of one list. A few choices may be repeated. */
const MAX_WORDS = 100

/** A list of words. Its value: the distinct ones in the order of the choices. Undefined: not given. */
export function wordList<Choice extends string>(
  key: string,
  name: string,
  description: string,
  choices: readonly Choice[],
): Omit<Parameter<Choice[] | undefined>, 'write'> {
  return {
    described: {
      [key]: {
        name,
        in: 'query',
        description,
        style: 'form',
        explode: false,
        schema: {
          type: 'array',
          items: { type: 'string', enum: choices },
          minItems: 1,
          maxItems: MAX_WORDS,
        },
      },
    },
    single: [],
    read: (query) => choicesIn(query, name, choices),
    refusals: [invalidChoice(name, 'all', choices)],
  }
}

function choicesIn<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice[] | Refusal | undefined {
  const words = valuesIn(query, name, MAX_WORDS)
  if (words === undefined || isRefusal(words)) return words
  const unknown = [...words].find((word) => !choices.some((choice) => choice === word))
  if (unknown !== undefined) return invalidChoice(name, unknown, choices)
  return choices.filter((choice) => words.has(choice))
}

/** A parameter that is `true` or, as without it, `false`. */
function switchBy(key: string, name: string, description: string): Parameter<boolean> {
  const schema = { type: 'boolean', default: false }
  return {
    described: { [key]: { name, in: 'query', description, schema } },
    single: [name],
    read(query) {
      const chosen = oneOf(name, valueIn(query, name) ?? 'false', ['true', 'false'])
      return typeof chosen === 'object' ? chosen : chosen === 'true'
    },
    write: (isOn) => (isOn ? { [name]: 'true' } : {}),
    refusals: [],
  }
}

export const SKIP_UNPAID = switchBy(
  'SkipUnpaid',
  'skip_exhausted',
  'Whether to leave out the objects whose daily quota is exhausted, before any filter. `X-Quota-Exhausted` names the first 100 of them. If no object is left, the API refuses the call. Without it, the API refuses the whole call if one object is exhausted, wherever that object is.',
)

export const SKIP_EXHAUSTED = switchBy(
  'SkipExhausted',
  'skip_exhausted',
  'Whether to leave out entries that a daily quota cannot pay for. An entry `withheld` then says which positions of an object are missing. Without it, a page ends before the first entry that the quota of its object cannot pay for.',
)

function namesIn(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

/** The groups of fields that rows of positions have in addition to those of the contract. */
export const INCLUDED_FIELDS = wordList(
  'PositionInclude',
  'include',
  `Additional fields of each row. \`quality\`: ${namesIn(includedBy('quality'))}. \`exact\`: the counters in millimeters and milliseconds. \`attributes\`: the attributes of the catalogue.`,
  INCLUDED,
)

/** The parts that entries of positions have in addition to the fields of the contract. Undefined: not given. */
export const INCLUDE: Parameter<Included[] | undefined> = {
  ...wordList(
    'Include',
    'include',
    'Additional fields of each position. `quality`: the quality fields of histories. `exact`: the counters in millimeters and milliseconds. `attributes`: the attributes of the catalogue, in states too.',
    INCLUDED,
  ),
  refusals: [differsFromCursor('include')],
}

export const TYPES: Parameter<ChangeType[] | undefined> = {
  ...wordList(
    'Types',
    'types',
    'Only these types of entries. Without it, all types that the server has for your organization. It has `trips`, `stops`, `visits` and `levels` once somebody has asked for them. A cursor keeps the types with which it began.',
    CHANGE_TYPES,
  ),
  refusals: [differsFromCursor('types')],
}

/** The types that a request names, whatever else is wrong with it. Undefined: not given. */
export function readTypes(query: Query): ChangeType[] | Refusal | undefined {
  return choicesIn(query, 'types', CHANGE_TYPES)
}

export const FROM: Parameter<ChangesFrom> = {
  described: {
    From: {
      name: 'from',
      in: 'query',
      description:
        'Where to start without a cursor. `snapshot`: the catalogue and the state of each object, then changes. `history`: the same, then every kept position, then changes. `now`: only changes.',
      schema: { type: 'string', enum: CHANGES_FROM, default: 'snapshot' },
    },
  },
  single: ['from'],
  read: (query) => oneOf('from', valueIn(query, 'from') ?? 'snapshot', CHANGES_FROM),
  refusals: [invalidChoice('from', 'then', CHANGES_FROM)],
}
