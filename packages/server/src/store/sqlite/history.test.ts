import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FIX_RECORD } from '../../domain/fix-record.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  newObject,
  newOrganization,
  recordsFrom,
  recordsOf,
} from '../contract/fixture.ts'
import { temporaryStore } from './temporary-store.ts'

const MIB = 1024 * 1024

describe('a history block', () => {
  it('joins records of any bytes exactly, in time order', async () => {
    const { folder, store, cleanUp } = await temporaryStore()
    const database = new DatabaseSync(join(folder, 'fleetgate.db'), { timeout: 5_000 })
    try {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization)
      const clear = database.prepare('DELETE FROM positions')
      const insert = database.prepare(`
        INSERT INTO positions (organization, object, time_device, change, fix) VALUES (?, ?, ?, 0, ?)
      `)
      // Zero bytes, and bytes that are no UTF-8, are what the joining as text could spoil.
      const byte = fc.oneof(fc.constantFrom(0, 0x80, 0xc0, 0xed, 0xff), fc.nat(255))
      const record = fc
        .array(byte, { minLength: FIX_RECORD.address, maxLength: 100 })
        .map((bytes) => Buffer.from(bytes))
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.nat(10_000).map(String), record), async (records) => {
          clear.run()
          for (const [time, bytes] of Object.entries(records).reverse()) {
            // By which the blocks are seen to be in order.
            bytes.writeUInt16LE(bytes.length, FIX_RECORD.length)
            bytes.writeUIntLE(Number(time), FIX_RECORD.timeDevice, 6)
            insert.run(organization, object, Number(time), bytes)
          }
          const page = await store.positions.history(organization, object, ALL_TIME, null)
          assert.deepEqual(await recordsOf(page), Buffer.concat(Object.values(records)))
        }),
      )
    } finally {
      database.close()
      await cleanUp()
    }
  })

  it('keeps a zero byte of an address', async () => {
    const { store, cleanUp } = await temporaryStore()
    try {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization)
      const fixes = [fixAt(1, { address: 'a\u0000b' }), fixAt(2)]
      await append(store, organization, object, fixes)
      const page = await store.positions.history(organization, object, ALL_TIME, null)
      assert.deepEqual(await recordsOf(page), recordsFrom(fixes))
    } finally {
      await cleanUp()
    }
  })
})

describe('the end of a page', () => {
  it('counts no row that comes while it is looked for', async () => {
    const { store, cleanUp } = await temporaryStore()
    try {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization)
      const standing = Array.from({ length: 30_000 }, (_, index) => fixAt(index * 2))
      const late = Array.from({ length: 20_000 }, (_, index) => fixAt(20_001 + index * 2))
      await append(store, organization, object, standing)
      // The search lets others run after 10,000 rows, and the late ones come in just then.
      const [page, outcomes] = await Promise.all([
        store.positions.history(organization, object, ALL_TIME, 25_000),
        append(store, organization, object, late),
      ])
      assert.ok(outcomes.every((outcome) => outcome === 'accepted'))
      assert.equal(page.next, standing[24_999]?.timeDevice)
      assert.deepEqual(await recordsOf(page), recordsFrom(standing.slice(0, 25_000)))
    } finally {
      await cleanUp()
    }
  })
})

describe('a history that is read slowly', () => {
  it('does not keep the log from being written back', async () => {
    const { folder, store, reopen, cleanUp } = await temporaryStore()
    try {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization)
      const batch = (start: number) =>
        Array.from({ length: 5_000 }, (_, index) => fixAt(start + index))
      await append(store, organization, object, batch(0))
      const page = await store.positions.history(organization, object, ALL_TIME, null)
      const blocks = page.blocks[Symbol.asyncIterator]()
      const first = await blocks.next()

      const writer = await reopen()
      for (let start = 5_000; start < 100_000; start += 5_000) {
        await append(writer, organization, object, batch(start))
      }
      const log = join(folder, 'fleetgate.db-wal')
      assert.ok((await stat(log)).size > MIB)
      // Closing empties the log, unless somebody still reads what lay in front of it.
      await writer.close()
      assert.equal((await stat(log)).size, 0)

      let bytes = first.value!.length
      for (let block = await blocks.next(); !block.done; block = await blocks.next()) {
        bytes += block.value.length
      }
      assert.equal(bytes, recordsFrom(batch(0)).length)
    } finally {
      await cleanUp()
    }
  })
})
