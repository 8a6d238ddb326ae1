import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import { jsonHere, runHere } from '../../../testing/command-line/run-here.ts'
import { temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { append, fixAt, newFleet } from '../../../testing/store-contract/fixture.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { DATABASE_FILE } from '../../data/sqlite/data-folder.ts'
import { openStore } from '../compose.ts'

/** An object with 1,200 positions of three days ago, one a second, and ten of now. */
async function filled(t: TestContext) {
  const folder = await temporaryFolder(t)
  const store = await openStore({ folder })
  const now = Date.now()
  const first = now - 3 * DAY_MS
  const { organization, object } = await newFleet(store)
  const old = Array.from({ length: 1_200 }, (_, index) => fixAt(first + index * 1000))
  const young = Array.from({ length: 10 }, (_, index) => fixAt(now - 10_000 + index * 1000))
  await append(store, organization, object, [...old, ...young])
  await store.close()
  return { folder, first, organization, object, data: ['--data', folder] }
}

describe('fleetgate pack', () => {
  it('packs what is older than two days', async (t) => {
    const { data } = await filled(t)
    const stored = async () => (await jsonHere(['status', ...data])).contents
    const before = await stored()
    assert.deepEqual([before.packed.positions, before.unpacked.positions], [0, 1200])
    assert.ok(before.unpacked.bytes > 1200 * 30, `${before.unpacked.bytes} bytes`)
    assert.deepEqual(await jsonHere(['pack', ...data]), { packed: 1200, complete: true })
    assert.deepEqual(await jsonHere(['pack', ...data]), { packed: 0, complete: true })
    const { packed, unpacked } = await stored()
    assert.deepEqual([packed.positions, unpacked], [1200, { positions: 0, bytes: 0 }])
    assert.ok(packed.bytes > 0 && packed.bytes < 20_000, `${packed.bytes} bytes`)
  })

  it('says that there is nothing to do', async (t) => {
    const { data } = await filled(t)
    await jsonHere(['pack', ...data])
    assert.equal((await runHere(['pack', ...data])).stdout, 'There are no positions to pack\n')
  })
})

describe('fleetgate verify', () => {
  it('reads all positions, packed or not', async (t) => {
    const { data } = await filled(t)
    const sound = { positions: 1210, damaged: [], newer: [], missing: [], complete: true }
    assert.deepEqual(await jsonHere(['verify', ...data]), sound)
    await jsonHere(['pack', ...data])
    assert.deepEqual(await jsonHere(['verify', ...data]), sound)
  })

  it('lists what is damaged, reads the rest, and fails', async (t) => {
    const { folder, first, organization, object, data } = await filled(t)
    await jsonHere(['pack', ...data])
    damage(folder, first)
    const { code, stdout, stderr } = await runHere(['verify', '--json', ...data])
    const [from, to] = [first, first + 499_000].map((time) => new Date(time).toISOString())
    assert.deepEqual(JSON.parse(stdout), {
      positions: 710,
      damaged: [{ organization, object, from, to }],
      newer: [],
      missing: [],
      complete: true,
    })
    assert.equal(code, 1)
    assert.match(stderr, /1 range of positions is damaged: restore the data from a backup/)
  })

  for (const [column, value] of Object.entries({
    rows: 'rows - 1',
    shown: 'shown - 1',
    newest_change: 'newest_change + 1',
  })) {
    it(`lists a block whose ${column} was altered`, async (t) => {
      const { folder, first, organization, object, data } = await filled(t)
      await jsonHere(['pack', ...data])
      changeTable(
        folder,
        `UPDATE position_blocks SET ${column} = ${value} WHERE first_time = ?`,
        first,
      )
      const { code, stdout } = await runHere(['verify', '--json', ...data])
      const [from, to] = [first, first + 499_000].map((time) => new Date(time).toISOString())
      assert.deepEqual(JSON.parse(stdout).damaged, [{ organization, object, from, to }])
      assert.equal(code, 1)
    })
  }

  it('says that a block is missing', async (t) => {
    const { folder, first, organization, object, data } = await filled(t)
    await jsonHere(['pack', ...data])
    changeTable(folder, 'DELETE FROM position_blocks WHERE first_time = ?', first)
    const { code, stdout, stderr } = await runHere(['verify', '--json', ...data])
    const { positions, damaged, missing } = JSON.parse(stdout)
    assert.deepEqual(
      [positions, damaged, missing],
      [710, [], [{ organization, object, blocks: 1 }]],
    )
    assert.equal(code, 1)
    assert.match(stderr, /packed positions are missing: restore the data from a backup/)
  })

  it('lists what a newer version has packed, which packing and copying name too', async (t) => {
    const { folder, first, organization, object, data } = await filled(t)
    await jsonHere(['pack', ...data])
    // The last block is small, so the rows after it would join it.
    const last = first + 1_000_000
    const store = await openStore({ folder })
    const more = Array.from({ length: 100 }, (_, index) => fixAt(first + (2_000 + index) * 1000))
    await append(store, organization, object, more).finally(store.close)
    changeBlock(folder, last, (block) => {
      block[0] = 2
      block.writeUInt32LE(crc32(block.subarray(0, -4)), block.length - 4)
    })
    const [from, to] = [last, first + 1_199_000].map((time) => new Date(time).toISOString())
    const verified = await runHere(['verify', '--json', ...data])
    const { damaged, newer } = JSON.parse(verified.stdout)
    assert.deepEqual([damaged, newer], [[], [{ organization, object, from, to }]])
    assert.equal(verified.code, 1)
    assert.match(verified.stderr, /a newer version of Fleetgate packed positions: run it/)
    const why = new RegExp(
      `positions of object ${object} of organization ${organization} .* were packed by a newer version of Fleetgate: run that version`,
    )
    const packed = await runHere(['pack', ...data])
    assert.equal(packed.code, 1)
    assert.match(packed.stderr, /1 object could not be packed: /)
    assert.match(packed.stderr, why)
    const copied = await runHere(['copy', '--from', folder, '--to', join(folder, 'copy')])
    assert.equal(copied.code, 1)
    assert.match(copied.stderr, why)
  })
})

/** Changes a byte of the block that begins at that time. */
function damage(folder: string, first: number): void {
  changeBlock(folder, first, (block) => {
    block[block.length >> 1]! ^= 1
  })
}

function changeTable(folder: string, statement: string, first: number): void {
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  database.prepare(statement).run(first)
  database.close()
}

function changeBlock(folder: string, first: number, change: (block: Buffer) => void): void {
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  const { block } = database
    .prepare('SELECT block FROM position_blocks WHERE first_time = ?')
    .get(first) as { block: Uint8Array }
  change(Buffer.from(block.buffer, block.byteOffset, block.length))
  database.prepare('UPDATE position_blocks SET block = ? WHERE first_time = ?').run(block, first)
  database.close()
}
