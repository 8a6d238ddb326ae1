import {
  byTopic,
  ITEM_TOPICS,
  type Items,
  type ItemTopic,
  includesRecords,
  RECORD_TYPES,
  type RecordType,
} from '../../base/domain/item-rules.ts'
import { type ObjectState, UNSEEN } from '../../base/domain/position/object-state.ts'
import {
  columnsOfRecords,
  type PositionColumns,
} from '../../base/domain/position/position-columns.ts'
import type { VisitedType } from '../../base/domain/record.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { ItemEntry, PositionEntry, ShiftEntry } from '../store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import type { OwnedRecord } from '../store/record-store.ts'
import type { JoinedRange, Selection } from './page.ts'

/** `row`: the position as it is now; null if it is not shown, or before it was looked up. */
type PositionStep = {
  is: 'position'
  object: number
  time: number
  late: boolean
  row: PlacedRow | null
}

/** A row of columns that those of one read have in common, in their order. */
type PlacedRow = { readonly columns: PositionColumns; readonly at: number }

/**
 * A part of a logged change. Its index within the change is the same for every reader. In a joined change its place follows
 * from its names. `brought`: the newest position that the change brought the object, if that was not late.
 */
export type Step = { seq: number; index: number; joined?: JoinedRange } & (
  | { is: 'item'; item: ItemEntry }
  | { is: 'retention'; daysBefore: number | null }
  | { is: 'object-retention'; object: number; daysBefore: number | null }
  | { is: 'shifts'; object: number; shifts: readonly ShiftEntry[] }
  | PositionStep
  | { is: 'state'; object: number; brought: number | null }
  | { is: 'record'; object: number; type: RecordType; id: number }
)

export type StepOf<Kind extends Step['is']> = Extract<Step, { is: Kind }>

/**
 * The selected parts of a change from number `skip` on: retention, objects, places, positions by object and
 * time, states, derived records.
 */
export function* stepsOf(
  { seq, entries, places }: LoggedChange,
  skip: number,
  selection: Selection,
): Generator<Step> {
  const { types, ids } = selection
  const has = isChosenObject(ids)
  let index = 0
  /** Whether to read the next part. */
  const isNext = (isSelected: boolean) => index++ >= skip && isSelected

  if (entries.retainedBefore !== undefined && isNext(true)) {
    yield { seq, index: index - 1, is: 'retention', daysBefore: entries.retainedBefore }
  }
  for (const item of entries.items) {
    const { topic, id, retainedBefore: daysBefore } = item
    if (daysBefore !== undefined && isNext(has(id))) {
      yield { seq, index: index - 1, is: 'object-retention', object: id, daysBefore }
    }
    if (!isNext(topic !== 'objects' || has(id))) continue
    if (isChosen(item, types)) yield { seq, index: index - 1, is: 'item', item }
    else if (topic === 'objects' && types.has('states')) {
      // Settings may change what the state shows, and the reader does not get the object.
      yield { seq, index: index - 1, is: 'state', object: id, brought: null }
    }
  }
  for (const { object, positions, shifts } of entries.objects) {
    const isSelected = types.has('positions') && has(object)
    if (shifts.length > 0 && isNext(isSelected)) {
      yield { seq, index: index - 1, is: 'shifts', object, shifts }
    }
    for (const { time, late } of positions) {
      if (isNext(isSelected)) {
        yield { seq, index: index - 1, is: 'position', object, time, late, row: null }
      }
    }
  }
  const firstState = index
  for (const [nth, { object, positions }] of entries.objects.entries()) {
    index = firstState + (places?.objects[nth] ?? nth)
    if (isNext(types.has('states') && has(object))) {
      yield { seq, index: index - 1, is: 'state', object, brought: newestIn(positions) }
    }
  }
  const firstRecord = firstState + (places?.allObjects ?? entries.objects.length)
  for (const [nth, { type, object, id }] of entries.records.entries()) {
    index = firstRecord + (places?.records[nth] ?? nth)
    if (isNext(types.has(type) && has(object))) {
      yield { seq, index: index - 1, is: 'record', object, type, id }
    }
  }
}

const chosenIds = new WeakMap<readonly number[], ReadonlySet<number>>()

/** Whether a reader chose an object. */
export function isChosenObject(ids: Selection['ids']): (object: number) => boolean {
  const chosen = ids === null ? null : chosenOf(ids)
  return (object) => chosen === null || chosen.has(object)
}

/** The ids as a set, made once. A page passes up to 10,000 changes, and a reader may choose 1,000 objects. */
function chosenOf(ids: readonly number[]): ReadonlySet<number> {
  const known = chosenIds.get(ids)
  if (known !== undefined) return known
  const chosen = new Set(ids)
  chosenIds.set(ids, chosen)
  return chosen
}

function newestIn(positions: readonly PositionEntry[]): number | null {
  return positions.reduce<number | null>(
    (newest, { time, late }) => (late ? newest : Math.max(time, newest ?? 0)),
    null,
  )
}

/** The deletion of an object also concerns readers of its positions, states and records. */
function isChosen({ topic, isDeleted }: ItemEntry, types: Selection['types']): boolean {
  if (types.has(topic)) return true
  const hasOthers = types.has('positions') || types.has('states') || includesRecords(types)
  return topic === 'objects' && isDeleted && hasOthers
}

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
 * Looks up what steps name, and gives positions their rows. Everything else is looked up once, because
 * nothing changes in a view.
 */
export function openFound(
  view: ReaderView,
): Found & { lookUp(steps: readonly Step[]): Promise<void> } {
  const items = byTopic(ITEM_TOPICS, (topic) =>
    lookup(async (ids) => (await view.items(topic, ids)).map((item) => [item.id, item] as const)),
  )
  const states = lookup((ids) => view.states(ids))
  const records = new Map<number, OwnedRecord>()
  const trips = new Map<ShiftEntry, readonly TimeRange[]>()

  async function lookUpPositions(steps: readonly PositionStep[]): Promise<void> {
    if (steps.length === 0) return
    const records = await view.positions(steps)
    const columns = columnsOfRecords(Buffer.concat(records.filter((record) => record !== null)))
    let next = 0
    for (const [index, record] of records.entries()) {
      if (record !== null) steps[index]!.row = { columns, at: next++ }
    }
  }

  async function lookUpRecords(type: RecordType, ids: Set<number>): Promise<void> {
    const wanted = [...ids].filter((id) => !records.has(id))
    if (wanted.length > 0) await learn(await view.records(type, wanted))
  }

  async function learn(learned: readonly OwnedRecord[]): Promise<void> {
    for (const record of learned) records.set(record.id, record)
    const objects = new Set(learned.map(({ object }) => object))
    await Promise.all([
      items.objects.lookUp(objects),
      items.geofences.lookUp(visitedIn(learned, 'geofence')),
      items.sites.lookUp(visitedIn(learned, 'site')),
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
        states.lookUp(ids.objects),
        ...ITEM_TOPICS.map((topic) => items[topic].lookUp(ids[topic])),
        lookUpPositions(positions),
        ...RECORD_TYPES.map((type) => lookUpRecords(type, named[type])),
        ...Array.from(shifts, ([shift, object]) => lookUpTrips(object, shift)),
      ])
    },
    item: (topic, id) => items[topic].get(id) as never,
    state: states.get,
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

/** Values by ids. Each is read once. Undefined: there is none, or it was not looked up. */
function lookup<Value>(
  read: (ids: readonly number[]) => Promise<Iterable<readonly [id: number, value: Value]>>,
) {
  const known = new Map<number, Value | undefined>()
  return {
    get: (id: number) => known.get(id),
    async lookUp(ids: ReadonlySet<number>): Promise<void> {
      const wanted = [...ids].filter((id) => !known.has(id))
      for (const id of wanted) known.set(id, undefined)
      if (wanted.length === 0) return
      for (const [id, value] of await read(wanted)) known.set(id, value)
    },
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
