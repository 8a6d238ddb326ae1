import assert from 'node:assert/strict'
import { type Backlog, deriveSlice, readBacklog } from '../../src/engine/journeys/derive-slice.ts'
import { applySlice } from '../../src/engine/journeys/organization-loop.ts'
import { progressMemory } from '../../src/engine/journeys/retries.ts'
import type { DerivedWork } from '../../src/engine/store/record-store.ts'
import type { Store } from '../../src/engine/store/store.ts'

const LEASE_MS = 60_000
/** Later slices are not killed, so that a trial ends. */
const MAX_KILLS = 30

/** So few that some progress is read again. */
const MAX_KNOWN = 2

class Killed extends Error {}

/** Derives slice by slice. It is killed after some of its writes (null: after none), and another one continues. */
export function deriverOn(
  store: Store,
  organization: number,
  kills: readonly (number | null)[] = [null],
) {
  const remember = progressMemory(MAX_KNOWN)
  let backlog: Backlog | null = null
  let slices = 0

  /** Returns whether everything is derived. */
  async function slice(): Promise<boolean> {
    const writes = slices < MAX_KILLS ? kills[slices % kills.length]! : null
    slices += 1
    const holder = 'a'
    await store.records.lease(holder, LEASE_MS, [organization])
    const made = await store.changeLog.view(organization, async (view) => {
      backlog = await readBacklog(view, backlog, remember)
      return deriveSlice(view, backlog, Date.now())
    })
    let left = writes ?? Number.POSITIVE_INFINITY
    try {
      backlog = await applySlice(async (work: DerivedWork) => {
        if (left === 0) throw new Killed()
        left -= 1
        return store.records.apply(organization, holder, work)
      }, made!)
      assert.ok(backlog !== null)
      return made!.isDone
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      backlog = null
      return false
    }
  }

  return {
    slice,
    async all() {
      for (let left = 10_000; left > 0; left -= 1) if (await slice()) return
      assert.fail('the backlog does not end')
    },
  }
}
