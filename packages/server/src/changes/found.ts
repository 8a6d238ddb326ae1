import { type ObjectState, UNSEEN } from '../domain/position/object-state.ts'
import type { TimeRange } from '../domain/time/time-range.ts'
import type { ItemTopic, ShiftEntry } from '../store/change-entries.ts'
import type { ChangeView, Items } from '../store/change-log.ts'
import type { PositionStep, Step } from './steps.ts'

/** How the things that steps name are now. Undefined: they do not exist, or are not shown. */
export type Found = {
  item<Topic extends ItemTopic>(topic: Topic, id: number): Items[Topic] | undefined
  state(object: number): ObjectState | undefined
  stateOr(object: number): ObjectState
  /** The ranges in which a shift moves the mileage. */
  trips(object: number, shift: ShiftEntry): readonly TimeRange[]
}

/**
 * Looks up what steps name, and gives positions their records. Everything else is looked up once, because
 * nothing changes in a view.
 */
export function openFound(
  view: ChangeView,
): Found & { lookUp(steps: readonly Step[]): Promise<void> } {
  const items: { [Topic in ItemTopic]: Map<number, Items[Topic] | undefined> } = {
    objects: new Map(),
    geofences: new Map(),
    routes: new Map(),
    sites: new Map(),
  }
  const states = new Map<number, ObjectState | undefined>()
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

  async function lookUpRecords(steps: readonly PositionStep[]): Promise<void> {
    if (steps.length === 0) return
    const records = await view.positions(steps)
    for (const [index, record] of records.entries()) steps[index]!.record = record
  }

  async function lookUpTrips(object: number, shift: ShiftEntry): Promise<void> {
    trips.set(shift, await view.earlierTrips(object, shift.from, shift.tripsSince))
  }

  return {
    async lookUp(steps) {
      const { ids, positions, shifts } = namesIn(steps)
      // All at once, so that a server elsewhere is asked once.
      await Promise.all([
        lookUpStates(ids.objects),
        ...TOPICS.map((topic) => lookUpItems(topic, ids[topic])),
        lookUpRecords(positions),
        ...Array.from(shifts, ([shift, object]) => lookUpTrips(object, shift)),
      ])
    },
    item: (topic, id) => items[topic].get(id) as never,
    state: (object) => states.get(object),
    stateOr: (object) => states.get(object) ?? UNSEEN,
    trips: (_object, shift) => trips.get(shift) ?? [],
  }
}

const TOPICS = ['objects', 'geofences', 'routes', 'sites'] as const

function namesIn(steps: readonly Step[]) {
  const ids: Record<ItemTopic, Set<number>> = {
    objects: new Set(),
    geofences: new Set(),
    routes: new Set(),
    sites: new Set(),
  }
  const positions: PositionStep[] = []
  const shifts = new Map<ShiftEntry, number>()
  for (const step of steps) {
    if (step.is === 'item' && !step.item.isDeleted) ids[step.item.topic].add(step.item.id)
    if ('object' in step) ids.objects.add(step.object)
    if (step.is === 'shift') shifts.set(step.shift, step.object)
    if (step.is === 'position') positions.push(step)
  }
  return { ids, positions, shifts }
}
