import { KIND, type Stored } from './stored.ts'

/**
 * The positions of a day after all its entries, by object and time. `entries`: by object, then in the order in which
 * they came.
 */
export function* settledRows(entries: Iterable<Stored>): Generator<Stored> {
  let group: Stored[] = []
  for (const entry of entries) {
    if (group.length > 0 && group[0]!.id !== entry.id) {
      yield* settled(group)
      group = []
    }
    group.push(entry)
  }
  yield* settled(group)
}

/** Whether an entry that is no position changes a position. */
export function touches(entry: Stored, row: Stored): boolean {
  if (entry.id !== row.id || row.time < entry.time || row.time > entry.until!) return false
  return entry.kind !== KIND.shift || row.asOf < entry.asOf
}

/** The entries of one object. */
function settled(entries: Stored[]): Stored[] {
  if (isSettled(entries)) return entries
  const rows = new Map<number, Stored>()
  for (const entry of entries) apply(rows, entry)
  return [...rows.values()].sort((a, b) => a.time - b.time)
}

/** Most objects have new positions only. */
function isSettled(entries: readonly Stored[]): boolean {
  let before = Number.NEGATIVE_INFINITY
  for (const { kind, time } of entries) {
    if (kind !== KIND.put || time <= before) return false
    before = time
  }
  return true
}

function apply(rows: Map<number, Stored>, entry: Stored): void {
  switch (entry.kind) {
    case KIND.put:
      rows.set(entry.time, entry)
      return
    case KIND.remove:
      for (const [time, row] of rows) if (touches(entry, row)) rows.delete(time)
      return
    case KIND.shift:
      for (const [time, row] of rows) if (touches(entry, row)) rows.set(time, shifted(row, entry))
      return
    case KIND.rename:
      return
  }
}

/** Its `asOf` stays: another shift of the same change may follow, on the next page even. */
function shifted(row: Stored, { odometerMm, mileageMm, engineHoursMs }: Stored): Stored {
  return {
    ...row,
    odometerMm: row.odometerMm === null ? null : row.odometerMm + odometerMm!,
    mileageMm: row.mileageMm === null ? null : row.mileageMm + mileageMm!,
    engineHoursMs: row.engineHoursMs === null ? null : row.engineHoursMs + engineHoursMs!,
  }
}
