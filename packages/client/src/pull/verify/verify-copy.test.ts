import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openConnection } from '../../answering-server.fixture.ts'
import { Fleetgate } from '../../fleetgate.ts'
import { memoryStore } from '../../replica/memory-store.ts'
import type { FleetObject } from '../../types.ts'
import { progressOf, putOf } from '../any-writes.fixture.ts'
import { verifyCopy } from './verify-copy.ts'

const OTHER = { positions: 1, digest: 'f'.repeat(64), counters_digest: 'f'.repeat(64) }
const GONE = { statusCode: 404, errorCode: 'PUBLIC.404_001', message: 'Object not found.' }

describe('The comparison of a copy with the server', () => {
  it('passes an object that is deleted meanwhile', async (t) => {
    const time = new Date().toISOString()
    const day = time.slice(0, 10)
    let isGone = false
    const { connection } = await openConnection(t, (response, _, { url }) => {
      const query = new URL(url!, 'http://x').searchParams
      const isAsked = query.get('from_date')! <= day && query.get('to_date')! >= day
      if (isGone && query.has('ids')) {
        response.statusCode = 404
        response.end(JSON.stringify(GONE))
      } else {
        const row = { object_id: 1, date: day, ...OTHER }
        response.end(JSON.stringify({ statusCode: 200, result: isAsked && !isGone ? [row] : [] }))
      }
    })
    const store = memoryStore()
    const item = { id: 1, name: 'Van', ident: '1' } as FleetObject
    const put = { write: 'put', kind: 'object', id: 1, item, asOf: 1 } as const
    await store.commit([put, putOf(1, time, 1, null)(1)], progressOf(1))
    const client = new Fleetgate({ baseUrl: connection.base, apiKey: connection.apiKey })
    const sync = async () => {
      isGone = true
      const all = { write: 'delete-positions', id: 1, from: null, to: null } as const
      await store.commit([all, { write: 'delete', kind: 'object', id: 1 }], progressOf(2))
    }
    const signal = new AbortController().signal
    const { repaired, different } = await verifyCopy(
      { client, store, ids: undefined, attributes: undefined },
      sync,
      signal,
    )
    assert.deepEqual([repaired, different], [0, 0])
    assert.ok(isGone)
  })
})
