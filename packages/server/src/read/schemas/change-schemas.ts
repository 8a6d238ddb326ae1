import Type, { type TSchema } from 'typebox'
import { ITEM_NOUNS, LIST_TOPICS, schemaNameOf } from '../../base/domain/item-rules.ts'
import { detailFields, objectListItem, position } from './object-schemas.ts'
import { level, listed, stop, trip, visit } from './row-schemas.ts'
import {
  currentAttributes,
  idOf,
  instant,
  nullableInstant,
  record,
  recordWith,
} from './value-schemas.ts'

/** The entries of `GET /changes`. `type` and `op` distinguish them. */

const seq = Type.Integer({
  description:
    'The number of the change within your organization. In a snapshot it is the `as_of` of the page.',
  minimum: 0,
  examples: [5120],
})

/** The first two fields of an entry. */
function kind(type: string, op: string, opMeaning: string) {
  return {
    type: Type.Literal(type, { type: 'string', description: 'The kind of thing that changed.' }),
    op: Type.Literal(op, { type: 'string', description: opMeaning }),
  }
}

const PUT = 'Replace the item with this id, or add it.'
const DELETE = 'Drop it.'

const range = {
  from_time: nullableInstant({
    description: 'The first `time_device` of the range. Null: from the beginning.',
    examples: ['2026-11-20T10:00:00.000Z'],
  }),
  to_time: nullableInstant({
    description: 'The last `time_device` of the range. Null: without an end.',
    examples: ['2026-11-20T11:00:00.000Z'],
  }),
}

const positionPut = record(
  {
    ...kind('position', 'put', 'Replace the position with this id and `time_device`, or add it.'),
    late: Type.Boolean({
      description: 'Whether the object already had a newer position.',
      examples: [false],
    }),
    position,
    seq,
  },
  'A position was added or replaced. Its counters contain the shifts up to the `as_of` of the page.',
)

const positionDelete = record(
  {
    ...kind('position', 'delete', DELETE),
    id: idOf('object', [1071]),
    time_device: instant({
      description: 'When the GPS of the device took the position.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
    seq,
  },
  'A position no longer counts.',
)

const positionsReplace = record(
  {
    ...kind('positions', 'replace', 'Drop the positions of the range. The current ones follow.'),
    id: idOf('object', [1071]),
    ...range,
    seq,
  },
  'The positions of an object in a range, both ends included, are replaced by those that follow.',
)

const countersShift = record(
  {
    ...kind('counters', 'shift', 'Add the amounts, once, to the counters of each position.'),
    id: idOf('object', [1071]),
    ...range,
    odometer_mm: Type.Integer({ description: 'Millimeters.', examples: [1200] }),
    mileage_mm: Type.Integer({ description: 'Millimeters.', examples: [0] }),
    engine_hours_ms: Type.Integer({ description: 'Milliseconds.', examples: [0] }),
    seq,
  },
  'The counters of all positions of an object in a range, both ends included, moved by these amounts. Keep the `as_of` of its page with each position. Add the amounts where it is below the `seq` of this entry, and then set it to that `seq`. The shifts of one object with the same `seq` never overlap and are on one page. The server is recalculating if a counter falls below zero: answers show 0 until the position comes again.',
)

const { time_server, time_device, time_last_idle, time_last_move, time_last_stop } = detailFields
const { engine_hours, odometer, mileage, address } = detailFields
const { latitude, longitude, altitude, angle, speed } = detailFields

const objectState = recordWith(
  {
    id: idOf('object', [1071]),
    time_server,
    time_device,
    time_last_idle,
    time_last_move,
    time_last_stop,
    engine_hours,
    odometer,
    mileage,
    address,
    latitude,
    longitude,
    altitude,
    angle,
    speed,
  },
  currentAttributes,
  'The fields of an object’s detail that its positions change.',
)

const statePut = record(
  { ...kind('state', 'put', PUT), state: objectState, seq },
  'The current state of an object. States in between may be missing.',
)

const retentionPut = record(
  {
    ...kind('retention', 'put', 'Replace the number that you have.'),
    days: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Days for which positions are kept. Null: without a limit.',
      examples: [90],
    }),
    seq,
  },
  'Older positions, and records that ended earlier, are no longer kept. Drop them by your own clock.',
)

const objectRetentionPut = record(
  {
    ...kind('object_retention', 'put', 'Replace the number that you have.'),
    id: idOf('object', [1071]),
    days: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Days for which positions of the object are kept. Null: the organization’s setting applies.',
      examples: [30],
    }),
    seq,
  },
  'The smaller number of this and `retention` holds for the object. Drop its older positions and records by your own clock.',
)

const withheldPut = record(
  {
    ...kind('withheld', 'put', 'Note that positions of the range are missing.'),
    id: idOf('object', [1071]),
    ...range,
    seq,
  },
  'Positions of this range were left out by `skip_exhausted`.',
)

/** The entries of things with ids, by their names. */
function itemEntries(noun: string, item: TSchema, thing: string) {
  const Noun = schemaNameOf(noun)
  return {
    [`${Noun}Put`]: record(
      { ...kind(noun, 'put', PUT), [noun]: item, seq },
      `A ${thing} was added or changed.`,
    ),
    [`${Noun}Delete`]: record(
      { ...kind(noun, 'delete', DELETE), id: idOf(thing, [12]), seq },
      `A ${thing} was deleted.`,
    ),
  }
}

const listedEntries = LIST_TOPICS.map((topic) => {
  const noun = ITEM_NOUNS[topic]
  return itemEntries(noun, listed[schemaNameOf(noun)], noun)
})

const entries: Record<string, TSchema> = {
  PositionPut: positionPut,
  PositionDelete: positionDelete,
  PositionsReplace: positionsReplace,
  CountersShift: countersShift,
  StatePut: statePut,
  ...itemEntries('object', objectListItem, 'vehicle or asset'),
  ...Object.assign({}, ...listedEntries),
  ...itemEntries('trip', trip, 'trip'),
  ...itemEntries('stop', stop, 'stop'),
  ...itemEntries('visit', visit, 'visit'),
  ...itemEntries('level', level, 'change of level'),
  RetentionPut: retentionPut,
  ObjectRetentionPut: objectRetentionPut,
  WithheldPut: withheldPut,
}

/** The fields that all entries have. */
type Entry = { type: string; op: string; seq: number } & Record<string, unknown>

const change = Type.Unsafe<Entry>({
  oneOf: Object.values(entries),
  description:
    'One change. `type` and `op` say what it is. Later versions have more types and fields: ignore those that you do not know, or ask for your own `types`.',
})

export const changes = record(
  {
    as_of: Type.Integer({
      description: 'The number of the newest change when the page was made.',
      minimum: 0,
      examples: [5120],
    }),
    distance_unit: Type.Enum(['km', 'mi'], {
      type: 'string',
      description: 'The unit of distances and speeds.',
      examples: ['km'],
    }),
    snapshot: Type.Boolean({
      description: 'Whether the page is part of the snapshot with which a client starts.',
      examples: [false],
    }),
    changes: Type.Array(change, { description: 'The entries, in the order of commit.' }),
    cursor: Type.String({ description: 'Where the next page begins.', examples: ['kXv0mZbQ'] }),
    has_more: Type.Boolean({
      description: 'Whether there were more changes when the page was made.',
      examples: [false],
    }),
  },
  'A page of changes.',
)

export const changeSchemas = {
  Changes: changes,
  Change: change,
  ...entries,
  ObjectState: objectState,
}
