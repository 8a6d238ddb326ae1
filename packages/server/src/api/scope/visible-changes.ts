import { RECORD_TYPES } from '../../domain/change-types.ts'
import { isWithin } from '../../domain/key-scope.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { ObjectEntry, RecordEntry } from '../../store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../../store/change-log.ts'
import type { Narrowing } from './narrowing.ts'

/** The changes without the names of what is not visible. */
export async function visibleChanges(
  view: ReaderView,
  narrowing: Narrowing,
  changes: readonly LoggedChange[],
): Promise<LoggedChange[]> {
  const { sees, times } = narrowing
  const own = changes.map(({ seq, at, entries }) => ({
    ...{ seq, at },
    entries: {
      ...entries,
      items: entries.items.filter(({ topic, id }) => topic !== 'objects' || sees(id)),
      objects: entries.objects.filter(({ object }) => sees(object)),
      records: entries.records.filter(({ object }) => sees(object)),
    },
  }))
  if (times === null) return own
  const isNewestVisible = await newestVisibleAmong(view, times, own)
  const isRecordVisible = await recordsVisibleAmong(view, times, own)
  return own.map((change) => ({
    ...change,
    entries: {
      ...change.entries,
      objects: change.entries.objects.flatMap((entry) =>
        isOfStateAlone(entry)
          ? isNewestVisible(entry.object)
            ? [entry]
            : []
          : visibleEntry(times, entry),
      ),
      records: change.entries.records.filter(({ id }) => isRecordVisible(id)),
    },
  }))
}

/** Whether a change touched the state of an object, such as its address, and no position. */
function isOfStateAlone({ positions, shifts, rewritten }: ObjectEntry): boolean {
  return positions.length === 0 && shifts.length === 0 && !rewritten
}

function visibleEntry(times: TimeRange, entry: ObjectEntry): ObjectEntry[] {
  const positions = entry.positions.filter(({ time }) => isWithin(times, time))
  const shifts = entry.shifts
    .filter(({ from }) => from <= times.to)
    .map((shift) => ({ ...shift, visible: times }))
  const { rewritten } = entry
  const isRewritten = rewritten && rewritten.from <= times.to && rewritten.to >= times.from
  if (positions.length === 0 && shifts.length === 0 && !isRewritten) return []
  return [{ ...entry, positions, shifts }]
}

/** Whether the newest position of an object is visible, so that changes of its state alone are. */
async function newestVisibleAmong(
  view: ReaderView,
  times: TimeRange,
  changes: readonly LoggedChange[],
): Promise<(object: number) => boolean> {
  const objects = changes.flatMap(({ entries }) => entries.objects.filter(isOfStateAlone))
  const ids = [...new Set(objects.map(({ object }) => object))]
  const states = ids.length === 0 ? new Map() : await view.states(ids)
  return (object) => {
    const time = states.get(object)?.lastFix?.timeDevice
    return time !== undefined && isWithin(times, time)
  }
}

/**
 * Whether a record is visible, or was visible while it was shorter. The server does not know when a deleted record
 * was, so the key sees its id.
 */
async function recordsVisibleAmong(
  view: ReaderView,
  times: TimeRange,
  changes: readonly LoggedChange[],
): Promise<(id: number) => boolean> {
  const named = changes.flatMap(({ entries }) => entries.records)
  const starts = new Map<number, number>()
  for (const type of RECORD_TYPES) {
    const ids = idsOf(named.filter((each) => each.type === type))
    if (ids.length === 0) continue
    for (const { id, record } of await view.records(type, ids)) starts.set(id, record.start)
  }
  return (id) => {
    const start = starts.get(id)
    return start === undefined || isWithin(times, start)
  }
}

function idsOf(records: readonly RecordEntry[]): number[] {
  return [...new Set(records.map(({ id }) => id))]
}
