import { RECORD_TYPES, type RecordType } from '../domain/change-types.ts'
import { byTopic, ITEM_TOPICS, type Items, type ItemTopic } from '../domain/items.ts'
import { type ObjectState, UNSEEN } from '../domain/position/object-state.ts'
import type { VisitedType } from '../domain/record.ts'
import type { TimeRange } from '../domain/time/time-range.ts'
import type { ShiftEntry } from '../store/change-entries.ts'
import type { ReaderView } from '../store/change-log.ts'
import type { OwnedRecord } from '../store/record-store.ts'
import type { PositionStep, Step } from './steps.ts'

/** How the things that steps name are now. Undefined: they do not exist, or are not shown. */
export type Found = {
  item<Topic extends ItemTopic>(topic: Topic, id: number): Items[Topic] | undefined
  state(object: number): ObjectState | undefined
  stateOr(object: number): ObjectState
  /** A derived record by its id, which no other type has. */
  record(id: number): OwnedRecord | undefined
  /** The name of the place of a visit. Null: it has none. */
  placeName(record: OwnedRecord): string | null
  /** Takes records that were read, and looks up the things that they name. */
  learn(records: readonly OwnedRecord[]): Promise<void>
  /** The ranges in which a shift moves the mileage. */
  trips(shift: ShiftEntry): readonly TimeRange[]
}

/**
 * Looks up what steps name, and gives positions their records. Everything else is looked up once, because
 * nothing changes in a view.
 */
export function openFound(
  view: ReaderView,
): Found & { lookUp(steps: readonly Step[]): Promise<void> } {
  const items: { [Topic in ItemTopic]: Map<number, Items[Topic] | undefined> } = byTopic(
    ITEM_TOPICS,
    () => new Map(),
  )
  const states = new Map<number, ObjectState | undefined>()
  const records = new Map<number, OwnedRecord>()
  const trips = new Map<ShiftEntry, readonly TimeRange[]>()

  async function lookUpItems<Topic extends ItemTopic>(topic: Topic, ids: Set<number>) {
    const known: Map<number, Items[Topic] | undefined> = items[topic]
    const wanted = [...ids].filter((id) => !known.has(id))
    for (const id of wanted) known.set(id, undefined)
    if (wanted.length === 0) return
    for (const item of await view.items(topic, wanted)) known.set(item.id, item)
  }

  async function lookUpStates(objects: Set<number>): Promise<void> {
    const wanted = [...objects].filter((id) => !states.has(id))
    for (const id of wanted) states.set(id, undefined)
    if (wanted.length === 0) return
    for (const [id, state] of await view.states(wanted)) states.set(id, state)
  }

  async function lookUpPositions(steps: readonly PositionStep[]): Promise<void> {
    if (steps.length === 0) return
    const fixes = await view.positions(steps)
    for (const [index, fix] of fixes.entries()) steps[index]!.record = fix
  }

  async function lookUpRecords(type: RecordType, ids: Set<number>): Promise<void> {
    const wanted = [...ids].filter((id) => !records.has(id))
    if (wanted.length > 0) await learn(await view.records(type, wanted))
  }

  async function learn(learned: readonly OwnedRecord[]): Promise<void> {
    for (const record of learned) records.set(record.id, record)
    const objects = new Set(learned.map(({ object }) => object))
    await Promise.all([
      lookUpItems('objects', objects),
      lookUpStates(objects),
      lookUpItems('geofences', visitedIn(learned, 'geofence')),
      lookUpItems('sites', visitedIn(learned, 'site')),
    ])
  }

  async function lookUpTrips(object: number, shift: ShiftEntry): Promise<void> {
    trips.set(shift, await view.earlierTrips(object, shift.from, shift.tripsSince))
  }

  return {
    async lookUp(steps) {
      const { ids, records: named, positions, shifts } = namesIn(steps)
      // All at once, so that a server elsewhere is asked once.
      await Promise.all([
        lookUpStates(ids.objects),
        ...ITEM_TOPICS.map((topic) => lookUpItems(topic, ids[topic])),
        lookUpPositions(positions),
        ...RECORD_TYPES.map((type) => lookUpRecords(type, named[type])),
        ...Array.from(shifts, ([shift, object]) => lookUpTrips(object, shift)),
      ])
    },
    item: (topic, id) => items[topic].get(id) as never,
    state: (object) => states.get(object),
    stateOr: (object) => states.get(object) ?? UNSEEN,
    record: (id) => records.get(id),
    placeName({ record }) {
      if (record.kind !== 'visit') return null
      return items[TOPIC_OF[record.placeType]].get(record.place)?.name ?? null
    },
    learn,
    trips: (shift) => trips.get(shift) ?? [],
  }
}

const TOPIC_OF = { geofence: 'geofences', site: 'sites' } as const

function visitedIn(records: readonly OwnedRecord[], type: VisitedType): Set<number> {
  const visits = records.map(({ record }) => record).filter((record) => record.kind === 'visit')
  return new Set(visits.filter(({ placeType }) => placeType === type).map(({ place }) => place))
}

function namesIn(steps: readonly Step[]) {
  const ids = byTopic(ITEM_TOPICS, () => new Set<number>())
  const records = byTopic(RECORD_TYPES, () => new Set<number>())
  const positions: PositionStep[] = []
  const shifts = new Map<ShiftEntry, number>()
  for (const step of steps) {
    if (step.is === 'item' && !step.item.isDeleted) ids[step.item.topic].add(step.item.id)
    if ('object' in step) ids.objects.add(step.object)
    if (step.is === 'shifts') for (const shift of step.shifts) shifts.set(shift, step.object)
    if (step.is === 'position') positions.push(step)
    if (step.is === 'record') records[step.type].add(step.id)
  }
  return { ids, records, positions, shifts }
}
