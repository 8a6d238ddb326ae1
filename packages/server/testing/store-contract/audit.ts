import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { NewAuditEntry } from '../../src/base/domain/audit-entry.ts'
import { valuesOf } from '../values-of.ts'
import { atOnce, NOW, newOrganization, type StoreTest } from './fixture.ts'

function entry(
  organization: number | null,
  at: number,
  more: Partial<NewAuditEntry> = {},
): NewAuditEntry {
  return {
    at,
    actor: 'console',
    action: 'organization.update',
    organization,
    target: null,
    name: null,
    changes: null,
    ...more,
  }
}

const ALL = { organization: null, before: null, limit: 100 }

export function auditContract(it: StoreTest): void {
  describe('The audit log', () => {
    it('returns the added entries, the newest first', async (store, reopen) => {
      assert.deepEqual(await store.audit.list(ALL), [])
      const organization = await newOrganization(store)
      const given = [
        entry(null, NOW, { action: 'operator.reset', actor: 'command line' }),
        entry(organization, NOW + 1, {
          target: 7,
          name: 'Ağ "Filo" \u{1f69a}',
          changes: {
            plate_number: { from: null, to: '34 ABC 123' },
            'accuracy.maximum_hdop': { from: 10, to: 2.5 },
            gone: { from: { nested: [1, 'two'] } },
          },
        }),
        entry(organization, NOW - 1),
      ]
      for (const each of given) await store.audit.add(each)
      const listed = await (await reopen()).audit.list(ALL)
      assert.deepEqual(
        listed.map(({ id: _, ...rest }) => rest),
        given.toReversed(),
      )
      const ids = listed.map(({ id }) => id)
      assert.deepEqual(
        ids,
        ids.toSorted((one, other) => other - one),
      )
    })

    it('is paged', async ({ audit }) => {
      for (let at = 0; at < 7; at += 1) await audit.add(entry(at % 2, at))
      for (const [organization, expected] of [
        [null, [6, 5, 4, 3, 2, 1, 0]],
        [0, [6, 4, 2, 0]],
        [1, [5, 3, 1]],
        [2, []],
      ] as const) {
        const found: number[] = []
        let before: number | null = null
        for (;;) {
          const page = await audit.list({ organization, before, limit: 2 })
          assert.ok(page.length <= 2)
          found.push(...page.map(({ at }) => at))
          if (page.length < 2) break
          before = page.at(-1)!.id
        }
        assert.deepEqual(found, expected)
      }
    })

    it("does not list entries of another organization or of the deployment as an organization's own", async (store) => {
      const [mine, other] = [await newOrganization(store), await newOrganization(store)]
      await store.audit.add(entry(mine, 1))
      await store.audit.add(entry(other, 2))
      await store.audit.add(entry(null, 3))
      const listed = await store.audit.list({ ...ALL, organization: mine })
      assert.deepEqual(valuesOf(listed, 'at'), [1])
    })

    it('keeps the entries of a deleted organization', async (store) => {
      const organization = await newOrganization(store)
      await store.audit.add(entry(organization, NOW, { name: 'Acme' }))
      await store.organizations.delete(organization)
      const listed = await store.audit.list({ ...ALL, organization })
      assert.deepEqual(valuesOf(listed, 'name'), ['Acme'])
    })

    it('accepts simultaneous entries', async (store, reopen) => {
      await atOnce(20, [store, await reopen()], ({ audit }, at) => audit.add(entry(null, at)))
      const listed = await store.audit.list(ALL)
      assert.equal(new Set(valuesOf(listed, 'at')).size, 20)
      assert.equal(new Set(valuesOf(listed, 'id')).size, 20)
    })
  })
}
