import type { TimeRange } from '../domain/time/time-range.ts'
import type { ChangeNotes, FoldTarget } from '../tracking/tables.ts'
import type { ObjectEntry, PositionEntry, ShiftEntry } from './change-entries.ts'

/** The notes of one transaction of an organization. */
export type TakenNotes = ChangeNotes & {
  /** Begins the notes of another transaction. */
  clear(): void
  /**
   * The entries of the touched objects. `before`: an object as it was before the transaction; undefined if
   * it is not known any more.
   */
  entries(
    touched: Iterable<number>,
    before: (object: number) => FoldTarget | undefined | null,
  ): ObjectEntry[]
}

export function takeNotes(): TakenNotes {
  const times = new Map<number, number[]>()
  const shifts = new Map<number, ShiftEntry[]>()
  const ranges = new Map<number, TimeRange>()

  function positionsOf(object: number, before: FoldTarget | undefined | null): PositionEntry[] {
    const newest = before?.state.fold?.at ?? -1
    const noted = times.get(object)
    if (noted === undefined) return []
    // A position may be rewritten several times. Most objects have one.
    const distinct = noted.length === 1 ? noted : [...new Set(noted)].sort((a, b) => a - b)
    return distinct.map((time) => ({ time, late: time < newest }))
  }

  return {
    clear() {
      times.clear()
      shifts.clear()
      ranges.clear()
    },
    position: (object, time) => add(times, object, time),
    rewritten(object, time) {
      const range = ranges.get(object)
      if (range === undefined) ranges.set(object, { from: time, to: time })
      else if (time < range.from) range.from = time
      else if (time > range.to) range.to = time
    },
    shift: (object, shift) => add(shifts, object, shift),
    entries: (touched, before) =>
      [...touched]
        .sort((a, b) => a - b)
        .map((object) => ({
          object,
          positions: positionsOf(object, before(object)),
          shifts: shifts.get(object) ?? [],
          rewritten: ranges.get(object) ?? null,
        })),
  }
}

function add<T>(lists: Map<number, T[]>, object: number, value: T): void {
  const list = lists.get(object)
  if (list === undefined) lists.set(object, [value])
  else list.push(value)
}
