import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { asUnavailable, isWorkerDown } from './unavailable.ts'

function errorOf(code: string, routine: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('failed', 0, 'error'), { code, routine })
}

describe('An error of a Citus', () => {
  it('is an outage if a worker went away, also in a commit', () => {
    for (const error of [
      errorOf('08006', 'ReportConnectionError'),
      errorOf('XX000', 'MarkRemoteTransactionFailed'),
      errorOf('XX000', 'ErrorIfPostCommitFailedShardPlacements'),
    ]) {
      const outage = asUnavailable(error)
      assert.ok(outage instanceof StoreUnavailable)
      assert.match(outage.message, /the connection to PostgreSQL was lost/)
      assert.ok(isWorkerDown(outage) && isWorkerDown(error))
    }
  })

  it('is a fault otherwise', () => {
    const fault = errorOf('XX000', 'elog_finish')
    assert.equal(asUnavailable(fault), fault)
    assert.equal(isWorkerDown(fault), false)
  })
})
