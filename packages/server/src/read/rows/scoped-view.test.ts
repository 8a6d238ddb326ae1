import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { derived, derivedOn, newPut, trip } from '../../../testing/store-contract/derived.ts'
import { NOW } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { ChangeType } from '../../base/domain/item-rules.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { logPage } from '../../engine/changes/log-page.ts'
import { logOffset } from '../../engine/changes/page.ts'
import { narrowingOf } from './narrowing.ts'
import { scopedView } from './scoped-view.ts'

const scopeUntil = (until: number): KeyScope => ({
  operations: null,
  grants: [{ objects: null, from: null, until, attributes: null }],
  windowShare: null,
})
const start = NOW - 10 * DAY_MS
const READING = { shownFrom: () => 0, addressAt: undefined, entries: [] }
const SELECTION = { types: new Set<ChangeType>(['trips']), ids: null }
const OPTIONS = { selection: SELECTION, limit: 100, now: NOW }

/** An organization, and what a key until some time after a start reads of the trips in its log. */
async function tripsUntil(t: TestContext, last: number) {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const opened = await derivedOn(store)
  const narrowing = narrowingOf(scopeUntil(start + last))
  const pageAfter = (after: number) =>
    store.changeLog.view(opened.organization, async (view) => {
      const seen = scopedView(view, narrowing, READING)
      const page = await logPage(seen, logOffset(after), OPTIONS)
      return page.entries.map((entry) => {
        assert.ok(entry.type === 'trips')
        return [entry.op, entry.op === 'put' ? entry.owned.id : entry.id]
      })
    })
  return { store, ...opened, pageAfter }
}

it('A trip that goes on past the end of a range is deleted once for a key with the range', async (t) => {
  const { object, apply, pageAfter } = await tripsUntil(t, 20)
  const untils = [5, 15, 25, 35].map((after) => start + after)
  const pages = []
  for (const [index, until] of untils.entries()) {
    const record = trip(start, null, until)
    const before = index === 0 ? null : { start, until: untils[index - 1]! }
    const put = newPut(1, record, { revision: index + 1, before })
    const { seq } = await apply({ objects: [derived(object, [put])] })
    pages.push(await pageAfter(seq - 1))
  }
  assert.deepEqual(pages, [[['put', 1]], [['put', 1]], [['delete', 1]], []])
})

it('A trip that was under way in a range and has expired since is deleted for a key with the range', async (t) => {
  const { store, organization, object, apply, pageAfter } = await tripsUntil(t, 5)
  const underWay = [newPut(1, trip(start, null)), newPut(2, trip(start + DAY_MS, null))]
  const { seq } = await apply({ objects: [derived(object, underWay)] })
  assert.deepEqual(await pageAfter(seq - 1), [['put', 1]])
  const ended = underWay.map(({ id, record }) =>
    newPut(id, trip(record.start, record.start + 90), { revision: 2, before: record }),
  )
  await apply({ objects: [derived(object, ended)] })
  await store.records.purgeExpired(organization, () => NOW - 2 * DAY_MS, 0)
  assert.deepEqual(await pageAfter(seq), [['delete', 1]])
})
