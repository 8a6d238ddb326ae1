import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { logChain } from './log-chain.ts'

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4_096

const { log, frames } = logOfSqlite()

/** A log written by SQLite, and its number of frames according to SQLite. */
function logOfSqlite(): { log: Buffer; frames: number } {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-chain-'))
  const file = join(folder.path, 'rows.db')
  using database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (filling)')
  const insert = database.prepare('INSERT INTO rows VALUES (randomblob(3000))')
  for (let row = 0; row < 12; row += 1) insert.run()
  const { log: count } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number }
  return { log: readFileSync(`${file}-wal`), frames: count }
}

function framesOf(...pieces: Buffer[]): number {
  const chain = logChain()
  for (const piece of pieces) chain.take(piece)
  return chain.frames()
}

const frameAt = (byte: number) => Math.max(0, Math.floor((byte - HEADER_BYTES) / FRAME_BYTES))
const anyByte = fc.nat(log.length - 1)

describe('The chain of a log', () => {
  it('has the frames that SQLite has written', () => {
    assert.ok(frames > 12)
    assert.equal(framesOf(log), frames)
  })

  it('does not depend on the pieces in which the log is read', () => {
    fc.assert(
      fc.property(fc.array(anyByte, { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), log.length]
        const pieces = at.slice(1).map((end, i) => log.subarray(at[i], end))
        assert.equal(framesOf(...pieces), frames)
      }),
    )
  })

  it('ends with the last whole frame of a truncated log', () => {
    fc.assert(
      fc.property(anyByte, (end) => {
        assert.equal(framesOf(log.subarray(0, end)), frameAt(end))
      }),
    )
  })

  it('ends before the first damaged frame', () => {
    fc.assert(
      fc.property(anyByte, fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(log)
        changed[at]! ^= change
        assert.equal(framesOf(changed), frameAt(at))
      }),
    )
  })

  it('ends before the first block that the disk has lost', () => {
    fc.assert(
      fc.property(fc.nat(Math.floor(log.length / 4_096) - 1), (block) => {
        const holed = Buffer.from(log).fill(0, block * 4_096, (block + 1) * 4_096)
        const first = holed.findIndex((byte, at) => byte !== log[at])
        assert.equal(framesOf(holed), first < 0 ? frames : frameAt(first))
      }),
    )
  })

  it('does not continue into frames of an earlier log', () => {
    const older = Buffer.from(log).subarray(HEADER_BYTES)
    older[8]! ^= 1
    assert.equal(framesOf(log.subarray(0, HEADER_BYTES), older), 0)
  })

  it('counts at most the requested frames, and returns the end of the last one', () => {
    const chain = logChain(3)
    chain.take(log)
    assert.equal(chain.frames(), 3)
    assert.equal(chain.bytes(), HEADER_BYTES + 3 * FRAME_BYTES)
  })
})
