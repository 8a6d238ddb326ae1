import { differenceOf } from '../../api/encode/day-rows.ts'
import { counterDifference, seconds } from '../../api/encode/numbers.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit, Organization } from '../../domain/organization.ts'
import type { Fix } from '../../domain/position/fix.ts'
import { FIX_RECORD, MICRO, readCounters, unpackFix } from '../../domain/position/fix-record.ts'
import type { Counters } from '../../domain/position/fold-state.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { DAY_MS } from '../../domain/time/time.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import { takeTurn } from '../../domain/turn.ts'
import { REJECT_REASONS } from '../../fold/rules/judge.ts'
import { readDays } from '../../reports/days/read-days.ts'
import type { Call } from '../admin-api.ts'
import { refuseOthers, requiredInstant } from '../body.ts'
import type { TrackPoint } from '../documentation/schemas.ts'
import { type AdminOperation, MANAGE, READ } from '../operation.ts'
import { invalid } from '../refused.ts'
import { type Drive, openDrive, pointOf } from './drive.ts'
import { accuracyIn, objectOf } from './objects.ts'
import { organizationOf } from './organizations.ts'

const TAG = 'Objects'
const ONE = '/organizations/{organization}/objects/{object}'
/** A map cannot show more. A day with a position each second has 86,400. */
const MAX_POINTS = 100_000
const LONGEST_DAYS = 7

export const DAY_TRACK_OPERATIONS: AdminOperation[] = [
  {
    id: 'getTrack',
    method: 'GET',
    path: `${ONE}/track`,
    scopes: READ,
    tag: TAG,
    summary: 'The way of an object in a range of time',
    query: {
      from: { schema: { type: 'string', format: 'date-time' }, description: 'The first moment.' },
      to: {
        schema: { type: 'string', format: 'date-time' },
        description: 'The last moment, at most 7 days later.',
      },
    },
    status: 200,
    answers: 'track',
    async run(call) {
      const { organization, object, range } = await askedOf(call, Object.fromEntries(call.query))
      const unit = organization.distanceUnit
      const drive = openDrive(object, call.api.rules)
      const points: TrackPoint[] = []
      const isWhole = await eachFix(call, object, range, (fix, { odometer }) => {
        drive.add(fix)
        points.push(pointOf(fix, drive.motion, odometer, unit))
      })
      return { points, truncated: !isWhole, ...(await totalsOf(call, object, range, unit)) }
    },
  },
  {
    id: 'previewAccuracy',
    method: 'POST',
    path: `${ONE}/preview`,
    scopes: MANAGE,
    tag: TAG,
    summary: 'Preview other accuracy settings on stored positions',
    takes: 'previewAsked',
    status: 200,
    answers: 'preview',
    async run(call) {
      refuseOthers(call.body, ['accuracy', 'from', 'to'])
      const { organization, object, range } = await askedOf(call, call.body)
      const accuracy = { ...object.accuracy, ...accuracyIn(call.body) }
      const before = openTrial(object, call)
      const after = openTrial({ ...object, accuracy }, call)
      const isWhole = await eachFix(call, object, range, (fix) => {
        before.add(fix)
        after.add(fix)
      })
      return {
        before: before.outcome(organization),
        after: after.outcome(organization),
        truncated: !isWhole,
      }
    },
  },
]

/** The totals of a range, by the rules of the public API's days: a leg belongs to the range in which it ends. */
async function totalsOf(
  { api }: Call,
  { id, organization }: MonitoredObject,
  range: TimeRange & { keptFrom: number },
  unit: DistanceUnit,
) {
  const until = range.to + 1
  const oneDay = { dayOf: () => 0, startOf: (day: number) => (day === 0 ? range.from : until) }
  const query = { ...range, until, objects: [id], days: oneDay, after: null, limit: 1 }
  const read = await api.store.changeLog.view(organization, (view) => readDays(view, query))
  const day = read?.days[0]
  if (day === undefined) return { positions: 0, distance: 0, moving_seconds: 0, idle_seconds: 0 }
  return {
    positions: day.positions,
    distance: counterDifference(differenceOf(day.odometer), unit) ?? 0,
    moving_seconds: seconds(day.movingTime),
    idle_seconds: seconds(day.idleTime),
  }
}

function openTrial(object: MonitoredObject, { api }: Call) {
  const drive: Drive = openDrive(object, api.rules)
  const line: [number, number][] = []
  return {
    add(fix: Fix): void {
      if (drive.add(fix)) line.push([fix.longitude, fix.latitude])
    },
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

async function askedOf(call: Call, given: Readonly<Record<string, unknown>>) {
  const from = requiredInstant(given, 'from')
  const to = requiredInstant(given, 'to')
  if (to < from) throw invalid({ field: 'to', rule: 'must not lie before from' })
  if (to - from > LONGEST_DAYS * DAY_MS) {
    throw invalid({ field: 'to', rule: `must lie at most ${LONGEST_DAYS} days after from` })
  }
  const organization = await organizationOf(call)
  const object = await objectOf(call)
  const keptFrom = shownFrom(organization, call.now)
  const range = { from: Math.max(from, keptFrom), to, keptFrom }
  return { organization, object, range }
}

/** Positions by time, and whether they are all. If there are too many, the first ones are returned. */
async function eachFix(
  { api }: Call,
  { id, organization }: MonitoredObject,
  range: TimeRange,
  take: (fix: Fix, counters: Counters) => void,
): Promise<boolean> {
  const history = await api.store.positions.history(organization, id, range, MAX_POINTS)
  for await (const block of history.blocks) {
    await takeTurn()
    const records = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
      const fix = unpackFix(records, at)
      const counters = readCounters(records, at)
      // History does not keep the device's own odometer. The object's replaces it.
      fix.odometer = counters.odometer === null ? null : counters.odometer / MICRO
      take(fix, counters)
    }
  }
  return history.next === null
}
