import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { recordsIn, recordsOfBlocks } from '../../../../testing/records-in-columns.ts'
import {
  fixAt,
  newFleet,
  recordsFrom,
  recordsOf,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import {
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  packFix,
} from '../../../base/domain/position/fix-record.ts'
import { columnsOfRecords } from '../../../base/domain/position/position-columns.ts'
import { isInOrder } from '../../history/history.ts'

const MIB = 1024 * 1024

describe('A history block', () => {
  it('joins records of any bytes exactly, in time order', async (t) => {
    const { store, inspect } = await temporaryStore(t)
    const database = inspect()
    const { organization, object, history } = await newFleet(store)
    const clear = database.prepare('DELETE FROM positions')
    const insert = database.prepare(`
        INSERT INTO positions (organization, object, time_device, change, fix, track)
        VALUES (?, ?, ?, 0, ?, x'')
      `)
    // Zero bytes and invalid UTF-8 are the bytes that joining as text could destroy.
    const byte = fc.oneof(fc.constantFrom(0, 0x80, 0xc0, 0xed, 0xff), fc.nat(255))
    const record = fc
      .array(byte, { minLength: FIX_RECORD.optional, maxLength: 100 })
      .map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.nat(10_000).map(String), record), async (records) => {
        clear.run()
        for (const [time, bytes] of Object.entries(records).reverse()) {
          // After the numbers that each record has, all bytes are an address.
          bytes.writeUInt16LE(bytes.length, FIX_RECORD.length)
          bytes[FIX_RECORD.version] = FIX_RECORD_VERSION
          bytes[FIX_RECORD.addressAt] = FIX_RECORD.optional
          bytes.writeUInt16LE(FIX_FLAG.address, FIX_RECORD.flags)
          bytes.writeUIntLE(Number(time), FIX_RECORD.timeDevice, 6)
          insert.run(organization, object, Number(time), bytes)
        }
        const page = await history()
        const expected = columnsOfRecords(Buffer.concat(Object.values(records)))
        assert.deepEqual(await recordsOfBlocks(page.blocks), recordsIn(expected))
      }),
    )
  })

  it('keeps a zero byte of an address', async (t) => {
    const { store } = await temporaryStore(t)
    const { append, history } = await newFleet(store)
    const fixes = [fixAt(1, { address: 'a\u0000b' }), fixAt(2)]
    await append(fixes)
    const page = await history()
    assert.deepEqual(await recordsOf(page), recordsFrom(fixes))
  })
})

describe('The end of a page', () => {
  it('counts no row that arrives during the search for it', async (t) => {
    const { store } = await temporaryStore(t)
    const { append, history } = await newFleet(store)
    const initial = Array.from({ length: 30_000 }, (_, index) => fixAt(index * 2))
    const late = Array.from({ length: 20_000 }, (_, index) => fixAt(20_001 + index * 2))
    await append(initial)
    // The search yields after 10,000 rows, and the late rows arrive at that moment.
    const [page, outcomes] = await Promise.all([history(25_000), append(late)])
    assert.ok(outcomes.every((outcome) => outcome === 'accepted'))
    assert.equal(page.next, initial[24_999]?.timeDevice)
    assert.deepEqual(await recordsOf(page), recordsFrom(initial.slice(0, 25_000)))
  })
})

describe('A history that is read slowly', () => {
  it('does not block checkpoints of the log', async (t) => {
    const { folder, store, reopen } = await temporaryStore(t)
    const { append, history, on } = await newFleet(store)
    const batch = (start: number) =>
      Array.from({ length: 5_000 }, (_, index) => fixAt(start + index))
    await append(batch(0))
    const page = await history()
    const blocks = page.blocks[Symbol.asyncIterator]()
    const first = await blocks.next()

    const writer = await reopen()
    for (let start = 5_000; start < 100_000; start += 5_000) {
      await on(writer).append(batch(start))
    }
    const log = join(folder, 'fleetgate.db-wal')
    assert.ok((await stat(log)).size > MIB)
    // Closing empties the log, unless a reader still uses its beginning.
    await writer.close()
    assert.equal((await stat(log)).size, 0)

    let rows: number = first.value!.rows
    for (let block = await blocks.next(); !block.done; block = await blocks.next()) {
      rows += block.value.rows
    }
    assert.equal(rows, 5_000)
  })
})

const UNCOUNTED = { odometer: null, mileage: null, engineHours: null }
const NOW = Date.parse('2026-11-20T10:00:00Z')
const recordAt = (time: number) => packFix(fixAt(time, { address: `at ${time}` }), UNCOUNTED)
const blockOf = (...times: number[]) => columnsOfRecords(Buffer.concat(times.map(recordAt)))

describe('The order of a block', () => {
  it('is right if each record is later than the one before, and the first later than earlier blocks', () => {
    assert.ok(isInOrder(blockOf(NOW, NOW + 1, NOW + 2 ** 33), NOW - 1))
    assert.ok(isInOrder(blockOf(), NOW))
    assert.ok(!isInOrder(blockOf(NOW, NOW + 2, NOW + 1), NOW - 1))
    assert.ok(!isInOrder(blockOf(NOW, NOW), NOW - 1))
    assert.ok(!isInOrder(blockOf(NOW), NOW))
  })
})

describe('A block with a damaged length', () => {
  it('is reported as damage of the file', async (t) => {
    const { store, inspect } = await temporaryStore(t)
    const { append, history } = await newFleet(store)
    await append([fixAt(1), fixAt(2)])
    for (const bytes of ['FF7F', '0000', '0100', '3800']) {
      inspect().exec(`UPDATE positions SET fix = CAST(x'${bytes}' || substr(fix, 3) AS BLOB)`)
      const { blocks } = await history()
      await assert.rejects(recordsOfBlocks(blocks), /the database file is damaged/, bytes)
    }
  })
})
