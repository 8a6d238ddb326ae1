import type { DatabaseSync } from 'node:sqlite'
import type { Fix } from '../../domain/fix.ts'
import {
  FIX_RECORD_LIMIT,
  HOUR_MS,
  MICRO,
  readCounters,
  unpackFix,
  writeFix,
} from '../../domain/fix-record.ts'
import type { Counters, Spot, Step, Track } from '../../domain/track.ts'
import { packTrack, type RowTrack, unpackTrack } from '../../domain/track-record.ts'
import type { ObjectShifts } from './counter-shifts.ts'

/** Whose positions, and what applies to the counters that they store. */
export type Owned = { organization: number; object: number; shifts: ObjectShifts }

/** A position as it stands, its counters as they are shown. */
export type StoredPosition = {
  fix: Fix
  counters: Counters
  /** Null where it was stored before there was a fold. */
  row: RowTrack | null
  track: Uint8Array | null
  hidden: boolean
}

/**
 * One object's positions, for the fold: read with their counters as they are shown, and written so
 * that they are, whatever shifts apply. All its calls are parts of a transaction of the writer.
 */
export type StoredPositions = {
  at(owned: Owned, time: number): StoredPosition | null
  /** The newest that is older than `time`. */
  before(owned: Owned, time: number): StoredPosition | null
  /** In order, those later than `time`, at most `limit`. */
  after(owned: Owned, time: number, limit: number): StoredPosition[]
  /** From the newest on, one by one. */
  backwards(owned: Owned): Iterable<StoredPosition>
  /** The track as of a position that stands. */
  trackAt(owned: Owned, position: StoredPosition): Track
  insert(owned: Owned, fix: Fix, step: Step, change: number): void
  /** Puts another fix, or another step, in the place of what stands at that moment. */
  replace(owned: Owned, standing: StoredPosition, fix: Fix, step: Step, change: number): void
}

type Row = { fix: Uint8Array; track: Uint8Array | null; hidden: number | null }

const scratch = Buffer.alloc(FIX_RECORD_LIMIT)

export function storedPositions(writer: DatabaseSync): StoredPositions {
  const select = 'SELECT fix, track, hidden FROM positions WHERE organization = ? AND object = ?'
  const at = writer.prepare(`${select} AND time_device = ?`)
  const before = writer.prepare(`${select} AND time_device < ? ORDER BY time_device DESC LIMIT 1`)
  const after = writer.prepare(`${select} AND time_device > ? ORDER BY time_device LIMIT ?`)
  const backwards = writer.prepare(`${select} ORDER BY time_device DESC`)
  const insert = writer.prepare(`
    INSERT INTO positions (organization, object, time_device, change, fix, track, hidden)
    VALUES (?, ?, ?, ?, ?, ?, ?)
  `)
  const replace = writer.prepare(`
    UPDATE positions SET fix = ?, track = ? WHERE organization = ? AND object = ? AND time_device = ?
  `)
  const hide = writer.prepare(`
    UPDATE positions SET hidden = ? WHERE organization = ? AND object = ? AND time_device = ?
  `)
  const show = writer.prepare(`
    UPDATE positions SET hidden = NULL, change = ?
    WHERE organization = ? AND object = ? AND time_device = ?
  `)

  function read({ shifts }: Owned, row: Row): StoredPosition {
    const record = Buffer.from(row.fix.buffer, row.fix.byteOffset, row.fix.byteLength)
    const fix = unpackFix(record)
    const stored = readCounters(record)
    const hidden = row.hidden !== null
    if (row.track === null) {
      // Then its counters are the device's own.
      fix.odometer = stored.odometer === null ? null : stored.odometer / MICRO
      fix.engineHours = stored.engineHours === null ? null : stored.engineHours / HOUR_MS
      return { fix, counters: stored, row: null, track: null, hidden }
    }
    const told = unpackTrack(row.track, fix.timeDevice)
    fix.odometer = told.odometer
    fix.engineHours = told.engineHours
    const counters = shifts.shown(stored, fix.timeDevice, told.tripFrom)
    return { fix, counters, row: told, track: row.track, hidden }
  }

  /** Good until the next one: what is bound to a statement is copied. */
  function record({ shifts }: Owned, fix: Fix, { track }: Step): Buffer {
    const length = writeFix(scratch, fix, shifts.stored(track, fix.timeDevice, track.tripFrom))
    return scratch.subarray(0, length)
  }

  const one = (owned: Owned, row: object | undefined) =>
    row === undefined ? null : read(owned, row as Row)

  const positions: StoredPositions = {
    at: (owned, time) => one(owned, at.get(owned.organization, owned.object, time)),
    before: (owned, time) => one(owned, before.get(owned.organization, owned.object, time)),
    after(owned, time, limit) {
      const rows = after.all(owned.organization, owned.object, time, limit) as Row[]
      return rows.map((row) => read(owned, row))
    },
    *backwards(owned) {
      for (const row of backwards.iterate(owned.organization, owned.object)) {
        yield read(owned, row as Row)
      }
    },
    trackAt(owned, position) {
      const { fix, counters, row } = position
      const here = spotOf(fix)
      // What retention has removed is not there to be pointed at any more.
      const spotAt = (time: number): Spot => {
        if (time === here.time) return here
        const pointed = positions.at(owned, time)
        return pointed === null ? here : spotOf(pointed.fix)
      }
      if (row === null) return plainTrack(here, counters)
      const last = spotAt(row.lastAt)
      return {
        at: here.time,
        last,
        anchor: row.anchorAt === row.lastAt ? last : spotAt(row.anchorAt),
        shown: row.shownAt === row.lastAt ? last : spotAt(row.shownAt),
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
    },
    insert(owned, fix, step, change) {
      const { organization, object } = owned
      const hidden = step.hidden ? change : null
      const fixRecord = record(owned, fix, step)
      const track = packTrack(step.track, fix)
      insert.run(organization, object, fix.timeDevice, change, fixRecord, track, hidden)
    },
    replace(owned, standing, fix, step, change) {
      const { organization, object } = owned
      const time = fix.timeDevice
      const track = packTrack(step.track, fix)
      replace.run(record(owned, fix, step), track, organization, object, time)
      if (step.hidden === standing.hidden) return
      ;(step.hidden ? hide : show).run(change, organization, object, time)
    },
  }
  return positions
}

function spotOf({ timeDevice, latitude, longitude }: Fix): Spot {
  return { time: timeDevice, latitude, longitude }
}

/** As of a position from before there was a fold, until it is folded. */
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
