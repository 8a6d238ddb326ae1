import type { DatabaseSync } from 'node:sqlite'
import type { Fix } from '../../domain/fix.ts'
import { FIX_RECORD_LIMIT } from '../../domain/fix-record.ts'
import type { Step } from '../../domain/track.ts'
import { packTrack } from '../../domain/track-record.ts'
import {
  type Owned,
  type PositionRow,
  readPosition,
  type StoredPosition,
  visibilityAfter,
  writePosition,
} from '../folding/stored-position.ts'
import type { Positions } from '../folding/tables.ts'
import { atHand } from '../folding/work.ts'

const scratch = Buffer.alloc(FIX_RECORD_LIMIT)

/** Positions over the writer, inside its transactions. Nothing waits. */
export function storedPositions(writer: DatabaseSync): Positions {
  const select = `
    SELECT change, fix, track, hidden FROM positions WHERE organization = ? AND object = ?`
  const at = writer.prepare(`${select} AND time_device = ?`)
  const before = writer.prepare(`${select} AND time_device < ? ORDER BY time_device DESC LIMIT 1`)
  const after = writer.prepare(`${select} AND time_device > ? ORDER BY time_device LIMIT ?`)
  const backwards = writer.prepare(`${select} ORDER BY time_device DESC`)
  const insert = writer.prepare(`
    INSERT INTO positions (organization, object, time_device, change, fix, track, hidden)
    VALUES (?, ?, ?, ?, ?, ?, ?)
  `)
  const replace = writer.prepare(`
    UPDATE positions SET change = ?, fix = ?, track = ?, hidden = ?
    WHERE organization = ? AND object = ? AND time_device = ?
  `)

  /** Valid until the next call: values bound to a statement are copied. */
  function record(owned: Owned, fix: Fix, step: Step): Buffer {
    return scratch.subarray(0, writePosition(scratch, owned, fix, step))
  }

  const one = (owned: Owned, row: object | undefined) =>
    row === undefined ? null : readPosition(owned, row as PositionRow)

  function newest(owned: Owned, is: (position: StoredPosition) => boolean): StoredPosition | null {
    for (const row of backwards.iterate(owned.organization, owned.object)) {
      const position = readPosition(owned, row as PositionRow)
      if (is(position)) return position
    }
    return null
  }

  return {
    at: (owned, time) => atHand(one(owned, at.get(owned.organization, owned.object, time))),
    before: (owned, time) => atHand(one(owned, before.get(owned.organization, owned.object, time))),
    after(owned, time, limit) {
      const rows = after.all(owned.organization, owned.object, time, limit) as PositionRow[]
      return atHand(rows.map((row) => readPosition(owned, row)))
    },
    newest: (owned, is) => atHand(newest(owned, is)),
    insert(owned, fix, step, change) {
      const { organization, object } = owned
      const { hidden } = visibilityAfter(null, step, change)
      const fixRecord = record(owned, fix, step)
      const track = packTrack(step.track, fix)
      insert.run(organization, object, fix.timeDevice, change, fixRecord, track, hidden)
    },
    replace(owned, standing, fix, step, change) {
      const { organization, object } = owned
      const since = visibilityAfter(standing, step, change)
      const fixRecord = record(owned, fix, step)
      const track = packTrack(step.track, fix)
      const time = fix.timeDevice
      replace.run(since.change, fixRecord, track, since.hidden, organization, object, time)
    },
  }
}
