import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { startFleetProcess } from '../../harness/fleet.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { PREFIX } from '../../harness/organization.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { openAnswer, residentMiB, withoutProc as skip } from '../../harness/watched-process.ts'

const fleet = await startFleetProcess({ full: 1, plain: 9 })

describe('A history of 200,000 rows in one request', () => {
  const ROWS = 200_000
  const ROW_MARK = Buffer.from('"time_device"')
  const MAX_GROWTH_MIB = 64
  const owner = fleet.full[0]!
  const [others, moreOthers] = [4, 4].map((count) => Array.from({ length: count }, fleet.take))
  before(() => importSeconds(fleet, owner, ROWS))

  function openHistory(): Promise<IncomingMessage> {
    const path = `/objects/${owner.objects.silent}/positions?${SECONDS_RANGE}`
    return openAnswer(fleet.server.api + PREFIX + path, owner.key)
  }

  /** Reads a history to its end without storing it; counts its rows. */
  async function readThrough(history: IncomingMessage, onChunk = () => {}): Promise<number> {
    let rows = 0
    let rest = Buffer.alloc(0)
    for await (const chunk of history as AsyncIterable<Buffer>) {
      const text = Buffer.concat([rest, chunk])
      let end = 0
      for (let at = text.indexOf(ROW_MARK); at !== -1; at = text.indexOf(ROW_MARK, end)) {
        rows++
        end = at + ROW_MARK.length
      }
      rest = text.subarray(Math.max(end, text.length - ROW_MARK.length + 1))
      onChunk()
    }
    return rows
  }

  it('is streamed in constant memory', { skip }, async () => {
    const { pid } = fleet.server
    await readThrough(await openHistory())
    const before = residentMiB(pid)
    let most = before
    const rows = await readThrough(await openHistory(), () => {
      most = Math.max(most, residentMiB(pid))
    })
    assert.equal(rows, ROWS)
    assert.ok(most - before < MAX_GROWTH_MIB, `grew by ${most - before} MiB`)
  })

  it('lets other requests be answered between its slices', async () => {
    let streaming = true
    const stream = readThrough(await openHistory()).finally(() => {
      streaming = false
    })
    let answered = 0
    for (const { get, objects } of others!) {
      if (!streaming) break
      assert.equal((await get(`/objects/${objects.van}`)).status, 200)
      if (streaming) answered++
    }
    assert.equal(await stream, ROWS)
    assert.ok(answered >= 3, `${answered} answered before the stream ended`)
  })

  it('waits for a slow reader without delaying others', async () => {
    const history = await openHistory()
    // Nothing is read; rows that do not fit into the socket buffers remain in the store.
    for (const { get, objects } of moreOthers!) {
      assert.equal((await get(`/objects/${objects.van}`)).status, 200)
    }
    assert.equal(await readThrough(history), ROWS)
  })
})

describe('A list of 30,000 objects', () => {
  const OBJECTS = 30_000
  /** Together with the previous request, the maximum of a key in a rate window. */
  const AT_ONCE = 9
  /** One list has 20 MB. */
  const MAX_GROWN_MIB = 250
  const { id, get } = fleet.take()

  before(async () => {
    const file = join(temporaryFolder(), 'objects.csv')
    const idents = Array.from({ length: OBJECTS }, (_, i) => `tram-${i}\n`)
    writeFileSync(file, `ident\n${idents.join('')}`)
    await fleet.json('org', 'update', String(id), '--max-objects', String(2 * OBJECTS))
    const { created } = await fleet.json('import', 'objects', '--org', String(id), file)
    assert.equal(created, OBJECTS)
    await fleet.restart()
  })

  it('takes little memory when requested ten times at once', { skip }, async () => {
    const { pid } = fleet.server
    const headers = { 'accept-encoding': 'br' }
    // The first request makes the server load the objects into memory.
    await get('/objects', { headers })
    const rest = residentMiB(pid)
    const asked = Array.from({ length: AT_ONCE }, () => get('/objects', { headers }))
    const answers = await Promise.all(asked)
    const grown = residentMiB(pid, 'peak') - rest
    for (const { status, bytes } of answers) {
      assert.equal(status, 200)
      assert.ok(JSON.parse(brotliDecompressSync(bytes).toString()).result.length >= OBJECTS)
    }
    assert.ok(grown <= MAX_GROWN_MIB, `${grown.toFixed(0)} MiB`)
  })
})
