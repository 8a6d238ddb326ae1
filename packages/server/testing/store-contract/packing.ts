import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { DAY_MS } from '../../src/base/domain/time/time.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { packAll } from '../stores/packing-store.ts'
import {
  fixAt,
  foldOn,
  newFleet,
  PLAIN,
  recordsFrom,
  recordsOf,
  type StoreTest,
} from './fixture.ts'
import { runsOr } from './runs.ts'

const ROWS = 240
/** Several statements read a history with so small blocks. */
const BLOCK_ROWS = 24
const READERS = 4
/** Two pages, and the whole. */
const HISTORIES_OF_READ = 3
/** In each turn all is packed, or all is unpacked. The readers read 300 histories by `npm test`, and 10,000 by `npm run acceptance:stores`. */
const TURNS = Math.ceil((10 * runsOr(30)) / HISTORIES_OF_READ / READERS)

/** For a store that packs only when it is asked to. */
export function packingContract(it: StoreTest): void {
  const fixes = Array.from({ length: ROWS }, (_, index) =>
    fixAt((index * DAY_MS) / 20, { speed: index % 90 }),
  )
  const expected = recordsFrom(fixes)

  describe('Packing', () => {
    it('loses and repeats no row of what is read meanwhile', async (store, reopen) => {
      const { organization, object, append, ...fleet } = await newFleet(store)
      await append(fixes)
      const writer = await reopen()

      async function read(turn: number): Promise<void> {
        const limit = 1 + ((turn * 37) % (ROWS - 1))
        const first = await fleet.history(limit)
        const next = fixes[limit - 1]!.timeDevice
        assert.equal(first.next, next)
        const rest = await fleet.history(null, { from: next + 1 })
        const pages = [await recordsOf(first), await recordsOf(rest)]
        assert.deepEqual(Buffer.concat(pages), expected, `pages of ${limit}`)
        assert.deepEqual(await fleet.records(), expected)
        assert.equal(await fleet.count(), ROWS)
        await store.changeLog.view(organization, async (view) => {
          const time = fixes[limit]!.timeDevice
          const names = fixes
            .slice(0, limit)
            .map(({ timeDevice }) => ({ object, time: timeDevice }))
          const found = await view.positions(names)
          assert.deepEqual(
            Buffer.concat(found.map((record) => record!)),
            Buffer.concat(pages.slice(0, 1)),
          )
          assert.deepEqual(await view.newest([object], { from: 0, to: time }), [{ object, time }])
          assert.equal((await view.rows(object, -1, ROWS)).length, ROWS)
          assert.equal((await view.rowsBefore(object, time, ROWS)).length, limit)
        })
      }

      for (let turn = 0; turn < TURNS; turn += 1) {
        const reads = Array.from({ length: READERS }, (_, of) => read(turn * READERS + of))
        const isPacking = turn % 2 === 0
        await Promise.all([isPacking ? pack(writer) : unpack(writer), ...reads])
      }

      async function pack(other: Store): Promise<void> {
        assert.equal(await packAll(other, organization, BLOCK_ROWS), ROWS)
      }

      /** A recompute puts the rows of all blocks back into the table. */
      async function unpack(other: Store): Promise<void> {
        await other.positions.requestRefold({ organization, object })
        await foldOn(other, PLAIN, { organization, object })
      }
    })
  })
}
