import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import { KIND } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { type Json, start } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { postRows, senderOf } from '../../harness/sender.ts'

const IDENT = 'moved'
const START = Date.parse('2025-03-01T00:00:00Z')
const PATIENCE_MS = 30_000
/** As many as the rate window of an organization admits. */
const LOOKS = 8
const LOOK_MS = 1_500

const IS_ASSIGNED =
  'SELECT EXISTS (SELECT FROM ident_owners WHERE ident = $1 AND organization = $2) AS is'

// The lock of an organization holds up the writes after the assignment. A Citus has it on a worker.
const skip = KIND.startsWith('postgres') ? false : 'it is about PostgreSQL'

describe('An assignment whose process is killed before it creates the object', { skip }, () => {
  it('is known to the server within seconds', async () => {
    const fleet = await startFleetProcess({ full: 0, plain: 2 })
    const customers = [
      await senderOf(fleet, fleet.take(), '--create-objects'),
      await senderOf(fleet, fleet.take(), '--create-objects'),
    ] as const
    const [former, owner] = customers
    const row = { ident: IDENT, time_device: '2025-02-01T00:00:00Z', latitude: 41, longitude: 2 }
    await postRows(fleet.server.feed, former.feedToken, [row])
    const { token } = await fleet.json('routing', 'token', 'issue')
    let step = 0

    async function forward(): Promise<void> {
      step += 1
      const position = { fixTime: new Date(START + step * 10_000).toISOString(), valid: true }
      const place = { latitude: 41 + step / 1_000, longitude: 2, speed: 10, attributes: {} }
      const device = { uniqueId: IDENT, name: IDENT, groupId: 0 }
      const body = JSON.stringify({ position: { ...position, ...place }, device })
      const sent = { method: 'POST', headers: { 'x-feed-token': token }, body }
      assert.equal((await request(fleet.server.feed, '/feed/v1/traccar', sent)).status, 200)
    }

    await forward()
    const ids = customers.map(({ id }) => id)
    await inDatabase(fleet.deployment.database!, async (client) => {
      await client.query('BEGIN')
      const lock = 'SELECT FROM sequences WHERE organization = ANY($1) FOR UPDATE'
      await client.query(lock, [ids])
      const assign = ['routing', 'waiting', 'assign', IDENT, '--orgs', `${owner.id}`]
      const child = start([...assign, '--if-owned', 'move', ...fleet.deployment.args])
      const giveUpAt = performance.now() + PATIENCE_MS
      while (!(await client.query(IS_ASSIGNED, [IDENT, owner.id])).rows[0].is) {
        assert.ok(performance.now() < giveUpAt, 'the command does not assign the ident')
        await wait(50)
      }
      child.kill('SIGKILL')
      await once(child, 'exit')
      await client.query('ROLLBACK')
    })

    let idents: string[] = []
    for (let look = 0; look < LOOKS && !idents.includes(IDENT); look += 1) {
      await wait(LOOK_MS)
      await forward()
      const objects: Json[] = resultOf(await owner.get('/objects'))
      idents = objects.map(({ ident }) => ident)
    }
    assert.ok(idents.includes(IDENT), `${idents}`)
  })
})
