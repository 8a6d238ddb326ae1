import { ADMINISTRATORS, objectOf, organizationOf, VIEWERS } from '../../../acts/act.ts'
import * as doc from '../../../acts/document-schema.ts'
import { momentOf, newInput } from '../../../acts/input.ts'
import { accuracyIn, GIVEN_ACCURACY } from '../../../acts/object-bodies.ts'
import { queryInput } from '../../../acts/query.ts'
import { invalid } from '../../../acts/refused.ts'
import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { numberOf } from '../../../base/domain/attributes/shown-number.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import { type MonitoredObject, withOwnSettings } from '../../../base/domain/monitored-object.ts'
import {
  type DistanceUnit,
  type Organization,
  shownFrom,
} from '../../../base/domain/organization.ts'
import { LON_LAT_SCHEMA } from '../../../base/domain/places/place-settings.ts'
import { LABELLED } from '../../../base/domain/position/field-lists.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { MICRO } from '../../../base/domain/position/fix-record.ts'
import type { Counters } from '../../../base/domain/position/fold-state.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import {
  countersIn,
  fixIn,
  type PositionColumns,
} from '../../../base/domain/position/position-columns.ts'
import { described, MOMENT } from '../../../base/domain/setting-rule.ts'
import { DAY_MS, type TimeRange } from '../../../base/domain/time/time.ts'
import type { NumberSummary, Summary } from '../../../engine/journeys/days/attribute-spans.ts'
import { readDays } from '../../../engine/journeys/days/read-days.ts'
import { REJECT_REASONS } from '../../../engine/tracking/rules/judge.ts'
import { attributeReader } from '../../../read/encode/row-attributes.ts'
import { counterDifference, rounded, seconds } from '../../../read/formats/number-format.ts'
import { type Call, operations } from '../admin-api.ts'
import { type Drive, openDrive, pointOf, SUMMARY, TOTALS, type TrackPoint } from './drive.ts'

const ONE = '/organizations/{organization}/objects/{object}'
/** A map cannot show more. A day with a position each second has 86,400. */
const MAX_POINTS = 100_000
const MAX_DAYS = 7

const TRACK = doc.record(
  {
    points: doc.list(
      doc.plain<TrackPoint>({
        type: 'array',
        prefixItems: [
          { type: 'integer', description: 'When it was taken: milliseconds since the epoch.' },
          { type: 'number', description: 'Longitude.' },
          { type: 'number', description: 'Latitude.' },
          { type: ['number', 'null'], description: 'Speed, in the distance unit per hour.' },
          { type: ['number', 'null'], description: 'Heading, degrees.' },
          {
            type: ['string', 'null'],
            enum: ['moving', 'idle', 'stopped', null],
            description: 'Motion.',
          },
          { type: ['number', 'null'], description: 'Odometer, in the distance unit.' },
        ],
        description: 'A position, by columns.',
      }),
      'By time, ascending.',
    ),
    measures: doc.list(
      doc.record(
        {
          label: doc.text('Its name.'),
          unit: doc.textOrNull('Its unit. Null: it has none.'),
          values: doc.list(doc.realOrNull('At a position.'), 'In the order of the points.'),
        },
        'A measure of quality that at least one of the positions has.',
      ),
    ),
    attributes: doc.list(
      doc.record(
        {
          name: doc.text('Its name in the catalogue.'),
          label: doc.text('Display name.'),
          unit: doc.textOrNull('Its unit. Null: it has none.'),
          values: doc.list(doc.realOrNull('At a position.'), 'In the order of the points.'),
        },
        'A number of the catalogue of attributes, public or not, that at least one of the positions has.',
      ),
    ),
    texts: doc.list(
      doc.record(
        {
          name: doc.text('Its name in the catalogue.'),
          label: doc.text('Display name.'),
          changes: doc.list(
            doc.plain<[time: number, text: string]>({
              type: 'array',
              prefixItems: [{ type: 'integer' }, { type: 'string' }],
              description: 'Milliseconds since the epoch, and the text from then on.',
            }),
            'By time, ascending.',
          ),
        },
        'A text of the catalogue, such as the driver, that at least one position has.',
      ),
    ),
    truncated: doc.yes(
      'Whether the range has more positions than were asked for. The answer then has the first ones.',
    ),
    ...TOTALS,
    levels: doc.list(
      doc.record(
        {
          name: doc.text('Its name in the catalogue.'),
          label: doc.text('Display name.'),
          unit: doc.textOrNull('Its unit. Null: it has none.'),
          used: doc.real('Its use: first - last + filled - drained.'),
          filled: doc.real('Its rises beyond the threshold.'),
          drained: doc.real('Its falls beyond the threshold.'),
        },
        'A level of the catalogue, such as the fuel in a tank.',
      ),
    ),
  },
  'The track of an object in a range of time. Its totals follow the rules of `GET /days` of the public API: a leg belongs to the range in which it ends.',
  'Track',
)

type Range = { from: string; to: string }

const RANGE = queryInput<Range>({
  from: described(MOMENT, 'Start of the range.'),
  to: described(MOMENT, 'End of the range, at most 7 days later.'),
})
const PREVIEW_ASKED = newInput<Range>(
  'PreviewAsked',
  {
    from: described(MOMENT, 'Start of the range on which to try the settings.'),
    to: described(MOMENT, 'End of the range, at most 7 days later.'),
  },
  {},
  'Accuracy settings to try.',
  { accuracy: doc.optional(GIVEN_ACCURACY) },
)

const OUTCOME = doc.record(
  {
    ...SUMMARY.fields,
    accepted: doc.integer('Positions of the range that would be accepted.'),
    refused: doc.list(
      doc.record(
        {
          reason: doc.text('A word.'),
          message: doc.text('A sentence.'),
          positions: doc.integer('How many.'),
        },
        'Why positions would be refused.',
      ),
    ),
    line: doc.list(doc.plain<[number, number]>(LON_LAT_SCHEMA), 'The line that would be shown.'),
  },
  'The results of a day under some settings.',
  'PreviewOutcome',
)

const PREVIEW = doc.record(
  {
    before: OUTCOME,
    after: OUTCOME,
    truncated: doc.yes(
      'Whether the range has more positions than are tried (100,000). The first ones are tried then.',
    ),
  },
  'The effect of accuracy settings on stored positions. Packets that earlier settings rejected are not stored and cannot come back.',
  'Preview',
)

export const DAY_TRACK_OPERATIONS = operations('Objects', [
  {
    id: 'getTrack',
    method: 'GET',
    path: `${ONE}/track`,
    who: VIEWERS,
    summary: 'The track of an object in a range of time',
    query: RANGE,
    answers: TRACK,
    async run(call) {
      const { organization, object, range } = await askedOf(call, RANGE.in(call.query))
      const unit = organization.distanceUnit
      const drive = openDrive(withOwnSettings(object, organization), call.api.rules)
      const points: TrackPoint[] = []
      const measures = LABELLED.map((field) => ({ ...field, values: [] as (number | null)[] }))
      const entries = await call.api.store.attributes.list(object.organization)
      const values = await valuesOf(call, object, entries)
      const isWhole = await eachFix(call, object, range, (fix, { odometer }, columns, row) => {
        drive.add(fix)
        points.push(pointOf(fix, drive.motion, odometer, unit))
        for (const { key, decimals, values } of measures) values.push(rounded(fix[key], decimals))
        values.add(fix.timeDevice, columns, row)
      })
      call.disclosed.rows(object.id, 'positions', points.length)
      const known = measures
        .filter(({ values }) => values.some((value) => value !== null))
        .map(({ label, unit, values }) => ({ label, unit, values }))
      return {
        points,
        measures: known,
        ...values.known(),
        truncated: !isWhole,
        ...(await totalsOf(call, object, range, { unit, entries })),
      }
    },
  },
  {
    id: 'previewAccuracy',
    method: 'POST',
    path: `${ONE}/preview`,
    who: ADMINISTRATORS,
    summary: 'Preview other accuracy settings on stored positions',
    takes: PREVIEW_ASKED,
    status: 200,
    answers: PREVIEW,
    async run(call) {
      const { organization, object, range } = await askedOf(call, PREVIEW_ASKED.in(call.body))
      const accuracy = { ...object.accuracy, ...accuracyIn(call.body) }
      const before = openTrial(withOwnSettings(object, organization), call)
      const after = openTrial(withOwnSettings({ ...object, accuracy }, organization), call)
      const isWhole = await eachFix(call, object, range, (fix) => {
        before.add(fix)
        after.add(fix)
      })
      const shown = Math.max(before.accepted(), after.accepted())
      call.disclosed.rows(object.id, 'positions', shown)
      return {
        before: before.outcome(organization),
        after: after.outcome(organization),
        truncated: !isWhole,
      }
    },
  },
])

type Entries = readonly StoredAttribute[]

/** The totals of a range, by the rules of the public API's days: a leg belongs to the range in which it ends. */
async function totalsOf(
  { api }: Call,
  { id, organization }: MonitoredObject,
  range: TimeRange & { keptFrom: number },
  { unit, entries }: { unit: DistanceUnit; entries: Entries },
) {
  const until = range.to + 1
  const oneDay = { dayOf: () => 0, startOf: (day: number) => (day === 0 ? range.from : until) }
  const levels = entries.filter(({ isLevel }) => isLevel)
  const query = {
    ...{ from: range.from, keptFrom: () => range.keptFrom },
    ...{ until, objects: [id], days: oneDay, after: null, limit: 1 },
    attributes: levels.length === 0 ? null : levels,
  }
  const read = await api.store.changeLog.view(organization, (view) => readDays(view, query))
  const day = read?.days[0]
  if (day === undefined) {
    return { positions: 0, distance: 0, moving_seconds: 0, idle_seconds: 0, levels: [] }
  }
  return {
    positions: day.positions,
    distance: counterDifference(day.distance, unit) ?? 0,
    moving_seconds: seconds(day.movingTime),
    idle_seconds: seconds(day.idleTime),
    levels: levels.flatMap((entry, index) => levelOf(entry, day.attributes?.[index] ?? null)),
  }
}

function levelOf(entry: StoredAttribute, summary: Summary | null) {
  const sums = (summary as NumberSummary | null)?.sums
  if (sums === undefined) return []
  const { name, label, unit } = entry
  const [used, filled, drained] = [sums.used, sums.filled, sums.drained].map((units) =>
    numberOf(units, entry),
  )
  return [{ name, label, unit, used: used!, filled: filled!, drained: drained! }]
}

/** The numbers and texts of the catalogue at the positions of an object. */
async function valuesOf({ api }: Call, { organization, id }: MonitoredObject, entries: Entries) {
  const state = (await api.store.positions.states(organization, [id])).get(id)
  const shown = entries.filter(({ type }) => type !== 'boolean')
  const reader = attributeReader(
    { entries: shown, isCurrent: false },
    { object: { id }, state: state ?? UNSEEN },
  )
  const all = shown.map(({ type, name, label, unit }) => {
    return { type, name, label, unit, values: [] as (number | null)[], changes: [] as TextChange[] }
  })
  return {
    add(time: number, columns: PositionColumns, row: number): void {
      const { values: read } = reader(columns, row)
      for (let i = 0; i < all.length; i++) {
        const { type, values, changes } = all[i]!
        const value = read[i]
        if (type === 'number') values.push((value as number) ?? null)
        else if (typeof value === 'string' && value !== changes.at(-1)?.[1])
          changes.push([time, value])
      }
    },
    known: () => ({
      attributes: all
        .filter(({ values }) => values.some((value) => value !== null))
        .map(({ name, label, unit, values }) => ({ name, label, unit, values })),
      texts: all
        .filter(({ changes }) => changes.length > 0)
        .map(({ name, label, changes }) => ({ name, label, changes })),
    }),
  }
}

type TextChange = [time: number, text: string]

function openTrial(object: MonitoredObject, { api }: Call) {
  const drive: Drive = openDrive(object, api.rules)
  const line: [number, number][] = []
  return {
    add(fix: Fix): void {
      if (drive.add(fix)) line.push([fix.longitude, fix.latitude])
    },
    accepted: () => drive.accepted,
    outcome: ({ distanceUnit }: Organization) => ({
      ...drive.summary(distanceUnit),
      accepted: drive.accepted,
      refused: [...drive.refused].map(([reason, positions]) => ({
        reason,
        message: REJECT_REASONS[reason] ?? reason,
        positions,
      })),
      line,
    }),
  }
}

async function askedOf(call: Call, given: Range) {
  const [from, to] = [momentOf(given.from), momentOf(given.to)]
  if (to < from) throw invalid({ field: 'to', rule: 'must not be before from' })
  if (to - from > MAX_DAYS * DAY_MS) {
    throw invalid({ field: 'to', rule: `must be at most ${MAX_DAYS} days after from` })
  }
  const organization = await organizationOf(call)
  const object = await objectOf(call)
  const keptFrom = shownFrom(organization, object, call.now)
  const range = { from: Math.max(from, keptFrom), to, keptFrom }
  return { organization, object, range }
}

/** Positions by time, and whether they are all. If there are too many, the first ones are returned. */
async function eachFix(
  { api }: Call,
  { id, organization }: MonitoredObject,
  range: TimeRange,
  take: (fix: Fix, counters: Counters, columns: PositionColumns, row: number) => void,
): Promise<boolean> {
  const history = await api.store.positions.history(organization, id, range, MAX_POINTS)
  for await (const columns of history.blocks) {
    await takeTurn()
    for (let row = 0; row < columns.rows; row += 1) {
      const fix = fixIn(columns, row)
      const counters = countersIn(columns, row)
      // History does not keep the device's own odometer. The object's replaces it.
      fix.odometer = counters.odometer === null ? null : counters.odometer / MICRO
      take(fix, counters, columns, row)
    }
  }
  return history.next === null
}
