import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import { senderOf } from '../harness/sender.ts'

const OBJECTS = 30_000
const ROWS = 10_000
/** With the one before them as many as a key may ask for in 10 seconds. */
const AT_ONCE = 9
/** The list has 20 MB. */
const MAX_GROWN_MB = 250

describe('A list that is long', async () => {
  const fleet = await startFleet({ full: 0, plain: 1 }, ['--geocoder', 'off'])
  const sender = await senderOf(fleet, fleet.take(), '--create-objects')

  before(async () => {
    for (let from = 0; from < OBJECTS; from += ROWS) {
      const row = { time_device: '2024-06-01T08:00:00Z', latitude: 41, longitude: 2 }
      const rows = Array.from({ length: ROWS }, (_, i) => ({ ...row, ident: `tram-${from + i}` }))
      assert.equal((await sender.post(rows)).stored, ROWS)
    }
    await fleet.restart('stop')
  })

  it('takes little memory when it is asked for ten times at once', async () => {
    const path = '/public/v1/objects'
    const headers = { 'x-api-key': sender.key, 'accept-encoding': 'br' }
    // The server reads the objects into its memory for the first one.
    await request(fleet.server.api, path, { headers })
    const restMb = residentMegabytes('VmRSS')
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => request(fleet.server.api, path, { headers })),
    )
    const grownMb = residentMegabytes('VmHWM') - restMb
    for (const { status, bytes } of answers) {
      assert.equal(status, 200)
      assert.ok(JSON.parse(brotliDecompressSync(bytes).toString()).result.length >= OBJECTS)
    }
    assert.ok(grownMb <= MAX_GROWN_MB, `${grownMb.toFixed(0)} MB`)
  })

  function residentMegabytes(which: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${fleet.server.pid}/status`, 'utf8')
    return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)![1]) / 1024
  }
})
