import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { request } from '../../harness/client.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const OBJECTS = 30_000
/** Together with the previous request, the maximum of a key in 10 seconds. */
const AT_ONCE = 9
/** One list has 20 MB. */
const MAX_GROWN_MB = 250

describe('A long list', async () => {
  const fleet = await startFleetProcess({ full: 0, plain: 1 })
  const { id, key } = fleet.take()

  before(async () => {
    const file = join(temporaryFolder(), 'objects.csv')
    writeFileSync(
      file,
      `ident\n${Array.from({ length: OBJECTS }, (_, i) => `tram-${i}\n`).join('')}`,
    )
    await fleet.json('org', 'update', String(id), '--max-objects', String(2 * OBJECTS))
    assert.equal(
      (await fleet.json('import', 'objects', '--org', String(id), file)).created,
      OBJECTS,
    )
    await fleet.restart()
  })

  it('takes little memory when requested ten times at once', async () => {
    const path = '/public/v1/objects'
    const headers = { 'x-api-key': key, 'accept-encoding': 'br' }
    // The first request makes the server load the objects into memory.
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
