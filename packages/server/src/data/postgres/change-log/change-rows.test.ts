import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import { emptyDatabase, isOnCitus } from '../../../../testing/servers/shared-postgres.ts'
import { newOrganization } from '../../../../testing/store-contract/fixture.ts'
import type { Store } from '../../../engine/store/store.ts'
import { openPostgresStore } from '../open.ts'

const skip = isOnCitus
  ? 'a database of a Citus is copied with its workers: citus-restore.test.ts'
  : false

describe('The epoch of a change log', { skip }, () => {
  it('is another one in a database that was made from a backup, and stays in the first', async (t) => {
    const url = await emptyDatabase()
    const first = await openPostgresStore(url)
    const organization = await newOrganization(first)
    const epoch = await epochOf(first, organization)
    await first.close()
    const name = new URL(url).pathname.slice(1)
    const restored = `${name}_restored`
    await askPostgres(at(url, 'postgres'), `CREATE DATABASE ${restored} TEMPLATE ${name}`)
    const [again, second] = [
      await openPostgresStore(url),
      await openPostgresStore(at(url, restored)),
    ]
    t.after(() => Promise.all([again.close(), second.close()]))
    assert.equal(await epochOf(again, organization), epoch)
    const other = await epochOf(second, organization)
    assert.notEqual(other, epoch)
    assert.equal(await epochOf(second, organization), other)
  })
})

async function epochOf(store: Store, organization: number): Promise<string> {
  return (await store.changeLog.view(organization, async ({ epoch }) => epoch))!
}

function at(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}
