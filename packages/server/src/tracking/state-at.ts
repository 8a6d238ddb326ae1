import type { Fix } from '../domain/position/fix.ts'
import type { FoldState, Spot } from '../domain/position/fold-state.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Positions } from './tables.ts'
import type { Work } from './work.ts'

/** The fold state at a stored position. */
export function* foldStateAt(
  positions: Positions,
  owned: Owned,
  { fix, counters, rowFold }: StoredPosition,
): Work<FoldState> {
  const here = spotOf(fix)
  const { lastAt, anchorAt, shownAt } = rowFold
  const last = yield* spotAt(positions, owned, lastAt, here)
  return {
    at: here.time,
    last,
    anchor: anchorAt === lastAt ? last : yield* spotAt(positions, owned, anchorAt, here),
    shown: shownAt === lastAt ? last : yield* spotAt(positions, owned, shownAt, here),
    suspect: rowFold.suspect ? here : null,
    motion: rowFold.motion,
    moved: rowFold.moved,
    parked: rowFold.parked,
    running: rowFold.running,
    silence: rowFold.silence,
    doubtedAt: rowFold.doubtedAt,
    activeAt: rowFold.activeAt,
    tripFrom: rowFold.tripFrom,
    ...counters,
    odometerReading: rowFold.odometerReading,
    engineHoursReading: rowFold.engineHoursReading,
  }
}

/** Retention may have removed the position that the fold state points at. */
function* spotAt(positions: Positions, owned: Owned, time: number, here: Spot): Work<Spot> {
  if (time === here.time) return here
  const pointed = yield* positions.at(owned, time)
  return pointed === null ? here : spotOf(pointed.fix)
}

function spotOf({ timeDevice, latitude, longitude }: Fix): Spot {
  return { time: timeDevice, latitude, longitude }
}
