import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { BIN, fleetgateJson } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

// strace may be installed and yet lack permission to trace, as in a container.
const canTrace = spawnSync('strace', ['-e', 'trace=fsync', 'true']).status === 0

/** The reason to skip a test that traces; false if it can run. */
const tracingIsMissing = canTrace ? false : 'strace is not installed, or may not trace'

const LOG_WRITE = /^pwrite64\(\d+<[^>]*fleetgate\.db-wal>/
const LOG_SYNC = /^(fsync|fdatasync)\(\d+<[^>]*fleetgate\.db-wal>\)\s+= 0$/

/** Start and end of a call, in seconds. */
type Call = { text: string; began: number; ended: number }

/** The calls in the files that `strace -ff -ttt -T` wrote for each thread, ordered by start. */
function callsIn(folder: string): Call[] {
  const threads = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const lines = threads.flatMap((thread) => thread.split('\n'))
  const calls = lines.flatMap((line) => {
    const [, began, text, took] = /^(\d+\.\d+) (.*) <(\d+\.\d+)>$/.exec(line) ?? []
    if (began === undefined) return []
    return [{ text: text!, began: Number(began), ended: Number(began) + Number(took) }]
  })
  return calls.sort((a, b) => a.began - b.began)
}

const ROWS = 1000
const START = Date.parse('2024-06-01T00:00:00Z')

/** Runs a server under strace, sends it the packets of `send`, and returns its system calls. */
async function traceServing(data: string, send: (feed: string) => Promise<void>): Promise<Call[]> {
  const traces = join(temporaryFolder(), 'traces')
  mkdirSync(traces)
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
  const serving = ['serve', '--data', data, ...ports, '--geocoder', 'off', '--json']
  // With -D, the child is the server itself and receives signals; its tracer is a separate process.
  const child = spawn('strace', [
    ...['-D', '-ff', '-ttt', '-T', '-y', '-s', '64', '-o', join(traces, 'thread')],
    ...['-e', 'trace=fsync,fdatasync,read,write,writev,pwrite64'],
    ...[process.execPath, BIN, ...serving],
  ])
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.stderr.resume()
  const closed = once(child, 'close')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  await send(JSON.parse(line).feed)
  child.kill('SIGTERM')
  // The trace is complete when the tracer has closed the pipes that it inherited.
  const [code] = await closed
  process.off('exit', kill)
  assert.equal(code, 0)
  return callsIn(traces)
}

/** Checks that the log is written and then synced between the arrival of a request and its answer. */
function assertSynced(calls: Call[], arrival: RegExp): void {
  const arrived = calls.find(({ text }) => arrival.test(text))
  assert.ok(arrived !== undefined, `nothing has arrived like ${arrival}`)
  const answered = calls.find(
    ({ text, began }) => began >= arrived.ended && /^writev?\(.*HTTP\/1\.1 200 OK/.test(text),
  )
  assert.ok(answered !== undefined, 'nothing was answered')
  const between = calls.filter(
    ({ began, ended }) => began >= arrived.ended && ended <= answered.began,
  )
  const said = between.map(({ text }) => text).join('\n')
  const written = between.filter(({ text }) => LOG_WRITE.test(text)).map(({ ended }) => ended)
  assert.ok(written.length > 0, `nothing was written:\n${said}`)
  const lastWritten = Math.max(...written)
  assert.ok(
    between.some(({ text, began }) => LOG_SYNC.test(text) && began >= lastWritten),
    `not synced:\n${said}`,
  )
}

describe('The feed', { skip: embeddedOnly.skip || tracingIsMissing }, () => {
  it('syncs packets to disk before it acknowledges them', async () => {
    const data = join(temporaryFolder(), 'data')
    const run = (...args: string[]) => fleetgateJson([...args, '--data', data])
    const { id } = await run(
      'org',
      'create',
      '--name',
      'Traced',
      '--create-objects',
      '--maximum-age',
      '36500',
    )
    const { token } = await run('feed-token', 'issue', '--org', String(id))
    const headers = { 'x-feed-token': token }
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      ...{ ident: `bus-${i % 50}`, time_device: START + i * 1000 },
      ...{ latitude: 41, longitude: 2 + i / 1e4, speed: 30 },
    }))
    const batch = { method: 'POST', headers, body: JSON.stringify(rows) }
    const packet = `/feed/v1/osmand?id=bus-0&timestamp=${START + ROWS * 1000}&lat=41&lon=2.2`

    const calls = await traceServing(data, async (feed) => {
      const { json } = await request(feed, '/feed/v1/positions', batch)
      assert.equal(json.result.stored, ROWS)
      assert.equal((await request(feed, packet, { headers })).status, 200)
    })
    assertSynced(calls, /^read\(.*POST \/feed\/v1\/positions/)
    assertSynced(calls, /^read\(.*GET \/feed\/v1\/osmand/)
  })
})
