import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyDatabase } from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { fleetgate } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

describe('distribute', embeddedOnly, () => {
  it('refuses a database without Citus, and leaves it as it is', async () => {
    const database = await emptyDatabase()
    const refused = await fleetgate(['distribute', '--database', database])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^fleetgate: This database has no Citus: .*CREATE EXTENSION citus/)
    assert.equal(refused.stdout, '')
  })

  it('refuses a data folder', async () => {
    const refused = await fleetgate(['distribute', '--data', temporaryFolder()])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /--database or DATABASE_URL/)
  })
})
