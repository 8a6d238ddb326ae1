import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { startFleetProcess } from '../../harness/fleet.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { type Organization, PREFIX } from '../../harness/organization.ts'

const ROWS = 200_000
const ROW_MARK = Buffer.from('"time_device"')
const MAX_GROWTH_MB = 64

const fleet = await startFleetProcess({ full: 1, plain: 8 })
const owner = fleet.full[0]!
const [others, moreOthers] = [4, 4].map((count) => Array.from({ length: count }, fleet.take))
await importSeconds(fleet, owner, ROWS)

/** Requests the whole history without reading it. */
function openHistory(): Promise<IncomingMessage> {
  const path = `${PREFIX}/objects/${owner.objects.silent}/positions?${SECONDS_RANGE}`
  return new Promise((resolve, reject) => {
    httpRequest(
      fleet.server.api + path,
      { headers: { 'x-api-key': owner.key }, agent: false },
      resolve,
    )
      .on('error', reject)
      .end()
  })
}

/** Reads a history to its end without storing it; counts its rows and the other answers meanwhile. */
async function readThrough(history: IncomingMessage, onChunk: () => void): Promise<number> {
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

async function detailOf(organization: Organization): Promise<number> {
  const id = Object.values(organization.objects)[0]
  const answer = await fetch(`${fleet.server.api}${PREFIX}/objects/${id}`, {
    headers: { 'x-api-key': organization.key },
  })
  await answer.arrayBuffer()
  return answer.status
}

function residentMb(): number {
  const status = readFileSync(`/proc/${fleet.server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1024
}

const skip = !existsSync('/proc/self/status') && 'needs /proc to see the memory of the server'

describe(`A history of ${ROWS} rows in one request`, () => {
  it('is streamed in constant memory', { skip }, async () => {
    await readThrough(await openHistory(), () => undefined)
    const before = residentMb()
    let most = before
    const rows = await readThrough(await openHistory(), () => {
      most = Math.max(most, residentMb())
    })
    assert.equal(rows, ROWS)
    assert.ok(most - before < MAX_GROWTH_MB, `grew by ${most - before} MB`)
  })

  it('lets other requests be answered between its slices', async () => {
    let streaming = true
    const stream = readThrough(await openHistory(), () => undefined).finally(() => {
      streaming = false
    })
    let answered = 0
    for (const organization of others!) {
      if (!streaming) break
      assert.equal(await detailOf(organization), 200)
      if (streaming) answered++
    }
    assert.equal(await stream, ROWS)
    assert.ok(answered >= 3, `${answered} answered before the stream ended`)
  })

  it('waits for a slow reader without delaying others', async () => {
    const history = await openHistory()
    // Nothing is read; rows that do not fit into the socket buffers remain in the store.
    for (const organization of moreOthers!) assert.equal(await detailOf(organization), 200)
    assert.equal(await readThrough(history, () => undefined), ROWS)
  })
})
