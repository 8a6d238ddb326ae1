import { includesRecords, type RecordType } from '../domain/change-types.ts'
import type { ItemEntry, PositionEntry, ShiftEntry } from '../store/change-entries.ts'
import type { LoggedChange } from '../store/change-log.ts'
import type { Selection } from './page.ts'

/** `record`: the position as it is now; null if it is not shown, or before it was looked up. */
export type PositionStep = {
  is: 'position'
  object: number
  time: number
  late: boolean
  record: Uint8Array | null
}

/**
 * A part of a logged change. Its index within the change is the same for every reader. `brought`: the newest position
 * that the change brought the object, if that was not late.
 */
export type Step = { seq: number; index: number } & (
  | { is: 'item'; item: ItemEntry }
  | { is: 'retention'; daysBefore: number | null; at: number }
  | { is: 'shifts'; object: number; shifts: readonly ShiftEntry[] }
  | PositionStep
  | { is: 'state'; object: number; brought: number | null }
  | { is: 'record'; object: number; type: RecordType; id: number }
)

/**
 * The selected parts of a change from number `skip` on: retention, objects, places, positions by object and
 * time, states, derived records.
 */
export function* stepsOf(
  { seq, at, entries }: LoggedChange,
  skip: number,
  selection: Selection,
): Generator<Step> {
  const { types, ids } = selection
  const chosen = ids === null ? null : chosenOf(ids)
  const has = (object: number) => chosen === null || chosen.has(object)
  let index = 0
  /** Whether the next part is to be read. */
  const isNext = (isSelected: boolean) => index++ >= skip && isSelected

  if (entries.retainedBefore !== undefined && isNext(true)) {
    yield { seq, index: index - 1, is: 'retention', daysBefore: entries.retainedBefore, at }
  }
  for (const item of entries.items) {
    const { topic, id } = item
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
        yield { seq, index: index - 1, is: 'position', object, time, late, record: null }
      }
    }
  }
  for (const { object, positions } of entries.objects) {
    if (isNext(types.has('states') && has(object))) {
      yield { seq, index: index - 1, is: 'state', object, brought: newestIn(positions) }
    }
  }
  for (const { type, object, id } of entries.records) {
    if (isNext(types.has(type) && has(object))) {
      yield { seq, index: index - 1, is: 'record', object, type, id }
    }
  }
}

const chosenIds = new WeakMap<readonly number[], ReadonlySet<number>>()

/** The ids as a set, made once. A page passes up to 10,000 changes, and a reader may choose 1,000 objects. */
function chosenOf(ids: readonly number[]): ReadonlySet<number> {
  const known = chosenIds.get(ids)
  if (known !== undefined) return known
  const made = new Set(ids)
  chosenIds.set(ids, made)
  return made
}

function newestIn(positions: readonly PositionEntry[]): number | null {
  return positions.reduce<number | null>(
    (newest, { time, late }) => (late ? newest : Math.max(time, newest ?? 0)),
    null,
  )
}

/** All that a reader has of an object goes with it. */
function isChosen({ topic, isDeleted }: ItemEntry, types: Selection['types']): boolean {
  if (types.has(topic)) return true
  const hasOthers = types.has('positions') || types.has('states') || includesRecords(types)
  return topic === 'objects' && isDeleted && hasOthers
}
