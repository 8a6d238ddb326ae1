import { list, plain, record } from '../../acts/document-schema.ts'
import { MOTION } from '../../acts/object-bodies.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import type { DistanceUnit, Organization } from '../../base/domain/organization.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import {
  type CurrentMotion,
  motionAt,
  type ObjectState,
  signalUntil,
} from '../../base/domain/position/object-state.ts'
import { DECIMALS, measure, rounded } from '../../read/formats/number-format.ts'

export type LiveObject = [
  id: number,
  longitude: number,
  latitude: number,
  angle: number | null,
  speed: number | null,
  motion: CurrentMotion,
  time: number,
]

/** An update for watchers: new objects, those whose place or motion changed, and removed ones. */
export type Movement = { moved: readonly LiveObject[]; gone: readonly number[] }

/** The objects of an organization as its watchers were last sent them. */
export type WatchedFleet = {
  all(): LiveObject[]
  /** When the next object may fall silent. Infinity if none will. */
  signalUntil(): number
  /** Takes the current states of some objects. Objects without a position are gone. */
  update(
    objects: Iterable<number>,
    states: ReadonlyMap<number, ObjectState>,
    organization: Organization,
    now: number,
  ): Movement
  /** The ids of all objects. */
  ids(): Iterable<number>
  size(): number
}

/** `signalUntil`: until then the object has the motion of the row. Infinity if it is silent already. */
type Known = { row: LiveObject; signalUntil: number }

export function watchedFleet(): WatchedFleet {
  const known = new Map<number, Known>()
  let nextSilence = Number.POSITIVE_INFINITY

  function shownOf(
    id: number,
    state: ObjectState | undefined,
    { distanceUnit, signalTimeoutHours }: Organization,
    now: number,
  ): Known | null {
    if (state === undefined || state.lastFix === null) return null
    const motion = motionAt(state, now, signalTimeoutHours)
    const until = signalUntil(state, signalTimeoutHours)
    return {
      row: rowOf(id, state.lastFix, motion, distanceUnit),
      signalUntil: motion === 'no_signal' ? Number.POSITIVE_INFINITY : until,
    }
  }

  /** Returns the rows of the objects that have fallen silent without a packet. */
  function takeSilent(now: number): LiveObject[] {
    if (nextSilence >= now) return []
    const silent: LiveObject[] = []
    nextSilence = Number.POSITIVE_INFINITY
    for (const each of known.values()) {
      if (each.signalUntil < now) {
        const [id, longitude, latitude, angle, speed, , time] = each.row
        each.row = [id, longitude, latitude, angle, speed, 'no_signal', time]
        each.signalUntil = Number.POSITIVE_INFINITY
        silent.push(each.row)
      }
      nextSilence = Math.min(nextSilence, each.signalUntil)
    }
    return silent
  }

  return {
    all: () => Array.from(known.values(), ({ row }) => row),
    signalUntil: () => nextSilence,
    ids: () => known.keys(),
    size: () => known.size,
    update(objects, states, organization, now) {
      const moved: LiveObject[] = []
      const gone: number[] = []
      for (const id of objects) {
        const before = known.get(id)
        const shown = shownOf(id, states.get(id), organization, now)
        if (shown === null) {
          if (known.delete(id)) gone.push(id)
          continue
        }
        known.set(id, shown)
        nextSilence = Math.min(nextSilence, shown.signalUntil)
        if (before === undefined || !isSame(before.row, shown.row)) moved.push(shown.row)
      }
      return { moved: [...moved, ...takeSilent(now)], gone }
    },
  }
}

function isSame(one: LiveObject, other: LiveObject): boolean {
  return one.every((value, index) => value === other[index])
}

function rowOf(id: number, fix: Fix, motion: CurrentMotion, unit: DistanceUnit): LiveObject {
  return [
    id,
    rounded(fix.longitude, DECIMALS.coordinate)!,
    rounded(fix.latitude, DECIMALS.coordinate)!,
    fix.angle,
    measure(fix.speed, unit),
    motion,
    fix.timeDevice,
  ]
}

export const LIVE_OBJECTS = record(
  {
    items: list(
      plain<LiveObject>({
        type: 'array',
        prefixItems: [
          { type: 'integer', description: 'Id of the object.' },
          { type: 'number', description: 'Longitude.' },
          { type: 'number', description: 'Latitude.' },
          { type: ['number', 'null'], description: 'Heading, degrees.' },
          { type: ['number', 'null'], description: 'Speed, in the distance unit per hour.' },
          MOTION.schema,
          {
            type: 'integer',
            description: 'When the position was taken: milliseconds since the epoch.',
          },
        ],
        description: 'Where an object is, by columns.',
      }),
    ),
  },
  'Where objects are. The first event has all that have a position, the others have those that changed.',
  'LiveObjects',
)

/** The server-sent event (HTML, 9.2) with which a stream begins. */
export function wholeEvent(all: readonly LiveObject[]): Buffer {
  return Buffer.from(event('objects', { items: all }))
}

/**
 * The events of an update: `objects` for new or moved objects, `gone` for removed ones, and `settings` if lists of
 * objects are outdated. Null if nothing has changed.
 */
export function updateEvents({ moved, gone }: Movement, areListsOutdated: boolean): Buffer | null {
  const events = [
    moved.length > 0 ? event('objects', { items: moved }) : '',
    gone.length > 0 ? event('gone', { ids: gone }) : '',
    areListsOutdated ? event('settings', {}) : '',
  ].join('')
  return events === '' ? null : Buffer.from(events)
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${toJson(data)}\n\n`
}
