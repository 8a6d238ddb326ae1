import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { RANGE, sentDrives, untilOf } from './records-fleet.ts'

const fleet = await startFleet({ full: 1, plain: 4 })
const { folder, database } = fleet.deployment
const store = await openStore(folder === undefined ? { database: database! } : { folder })
after(() => store.close())
const HOLDER = 'another process'
const LEASE_MS = 9_000

/** An organization whose records nobody derives until `derive` is called. */
async function underived(idents: string[]) {
  const sender = await sentDrives(fleet, idents)
  const renew = () => store.records.lease(HOLDER, LEASE_MS, [sender.id])
  assert.deepEqual(await renew(), [sender.id])
  const renewing = setInterval(() => void renew(), 1_000)
  const derive = () => {
    clearInterval(renewing)
    return store.records.release(HOLDER)
  }
  return { ...sender, derive }
}

describe('While records are derived for the first time', () => {
  it('an answer waits for 25 seconds, and is then a 503 with the progress, pages too', async () => {
    const sender = await underived(['F-1', 'F-2'])
    const answers = ['trips', 'stops', 'visits'].flatMap((type) =>
      ['', '&limit=10'].map((page) => sender.get(`/${type}?${RANGE}${page}`)),
    )
    // Another organization is answered meanwhile, and pages of changes have what is derived.
    resultOf(await fleet.ask(() => `/trips?${RANGE}`))
    await sender.time.pass(25_000)
    for (const { status, headers, json } of await Promise.all(answers)) {
      const { message, timestamp: _, ...rest } = json
      assert.deepEqual(rest, { statusCode: 503, errorCode: 'ERR999', progress: 0 })
      assert.equal(status, 503)
      assert.match(message, /first time/)
      assert.match(headers['retry-after']!, /^[1-9]\d*$/)
    }
    await sender.derive()
    const whole = await sender.get(`/trips?${RANGE}&ids=${sender.ids}`)
    assert.equal(resultOf(whole).length, 2)
    assert.ok(untilOf(whole))
  })

  it('more answers than two wait at once, and all have all rows', async () => {
    const sender = await underived(['F-3'])
    const answers = Array.from({ length: 5 }, () => sender.get(`/trips?${RANGE}&ids=${sender.ids}`))
    resultOf(await fleet.ask(() => '/objects'))
    await sender.derive()
    for (const answer of await Promise.all(answers)) assert.equal(resultOf(answer).length, 1)
  })
})
