import type { Fix } from '../../domain/fix.ts'
import type { Counters, Spot, Track } from '../../domain/track.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Positions } from './tables.ts'
import type { Work } from './work.ts'

/** The track at a stored position. */
export function* trackAt(
  positions: Positions,
  owned: Owned,
  { fix, counters, row }: StoredPosition,
): Work<Track> {
  const here = spotOf(fix)
  if (row === null) return plainTrack(here, counters)
  const { lastAt, anchorAt, shownAt } = row
  const last = yield* spotAt(positions, owned, lastAt, here)
  return {
    at: here.time,
    last,
    anchor: anchorAt === lastAt ? last : yield* spotAt(positions, owned, anchorAt, here),
    shown: shownAt === lastAt ? last : yield* spotAt(positions, owned, shownAt, here),
    suspect: row.suspect ? here : null,
    motion: row.motion,
    moved: row.moved,
    parked: row.parked,
    running: row.running,
    activeAt: row.activeAt,
    tripFrom: row.tripFrom,
    ...counters,
    odometerReading: row.odometerReading,
    engineHoursReading: row.engineHoursReading,
  }
}

/** Retention may have removed the position that the track points at. */
function* spotAt(positions: Positions, owned: Owned, time: number, here: Spot): Work<Spot> {
  if (time === here.time) return here
  const pointed = yield* positions.at(owned, time)
  return pointed === null ? here : spotOf(pointed.fix)
}

function spotOf({ timeDevice, latitude, longitude }: Fix): Spot {
  return { time: timeDevice, latitude, longitude }
}

/** The track at a position from before tracks existed, until it is folded. */
function plainTrack(here: Spot, counters: Counters): Track {
  return {
    at: here.time,
    last: here,
    anchor: here,
    shown: here,
    suspect: null,
    motion: null,
    moved: false,
    parked: false,
    running: false,
    activeAt: null,
    tripFrom: null,
    ...counters,
    odometerReading: counters.odometer,
    engineHoursReading: counters.engineHours,
  }
}
