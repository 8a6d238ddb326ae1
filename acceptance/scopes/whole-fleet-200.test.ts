import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { FIXES } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Whole fleets with a key of two objects and a range of time: 200', async () => {
  const owner = fleet.take()
  const { van, silent } = owner.objects
  const until = FIXES.van[3]!.time_device
  const scope = ['--objects', `${van},${silent}`, '--data-until', until]
  const key = await scoped(fleet, owner, ...scope)
  const rows = async (path: string) =>
    (resultOf(await key.get(path)) as Json[]).map(({ id, time_device }) => [id, time_device])

  it('are the two objects, as the newest position of the range tells', async () => {
    const seen = [
      [van, until],
      [silent, null],
    ]
    assert.deepEqual(await rows('/positions/latest?ids=all'), seen)
    assert.deepEqual(await rows('/positions/at?ids=all&time=2024-05-07'), seen)
  })

  it('are searched by the positions of the range', async () => {
    const box = (i: number) => {
      const { latitude, longitude } = FIXES.van[i]!
      const [west, south] = [longitude - 0.0005, latitude - 0.0005]
      return [west, south, west + 0.001, south + 0.001].map((side) => side.toFixed(6)).join()
    }
    assert.deepEqual(await rows(`/positions/latest?bbox=${box(3)}`), [[van, until]])
    assert.deepEqual(await rows(`/positions/latest?bbox=${box(11)}`), [])
  })

  it('are found by texts of their own alone', async () => {
    const found = resultOf(await key.get('/objects?q=3')) as Json[]
    assert.deepEqual(
      found.map(({ id }) => id),
      [van, silent],
    )
  })

  it('have another entity tag in another distance unit', async () => {
    const first = await key.get('/objects')
    const known = { headers: { 'if-none-match': String(first.headers.etag) } }
    assert.equal((await key.get('/objects', known)).status, 304)
    await fleet.run('org', 'update', String(owner.id), '--distance-unit', 'mi')
    const second = await key.get('/objects', known)
    assert.equal(second.status, 200)
    assert.notEqual(second.headers.etag, first.headers.etag)
  })
})
