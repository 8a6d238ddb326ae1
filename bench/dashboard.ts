/**
 * A live dashboard as the client's README has it: a replica that follows 5,000 vehicles under a daily quota of 500.
 * Each vehicle reports every ten seconds, for an hour.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Fleetgate } from '@fleetgate/client'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { addFedFleet, type FedFleet } from './fed-fleet.ts'
import { identOf } from './feed-packets.ts'
import { processorSeconds, residentBytes, unpin } from './processor.ts'
import { isSmall, percentile, report } from './report.ts'

const VEHICLES = isSmall ? 500 : 5_000
const SECONDS = isSmall ? 20 : 3_600
const REPORT_EVERY_MS = 10_000
/** Each batch has the rows of a tenth of a second. */
const BATCH_MS = 100
const BATCH = (VEHICLES * BATCH_MS) / REPORT_EVERY_MS
const DAILY_QUOTA = 500
const MAX_GAP_MS = 2_000
const MEGABYTE = 2 ** 20
const LAST_ROWS_MS = 10_000

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const { key, token, ids } = await addFleet()
await using server = await startFleetgate(folder.path)
unpin(server.pid)
/** The newest report of each vehicle that the dashboard has not shown, and when it was acknowledged. */
const unseen = new Map<number, { time: string; at: number }>()
const ended = new AbortController()
const residentBefore = residentBytes(server.pid)
const usedBefore = processorSeconds(server.pid)
const watching = watch()
const sent = await drive()
await pause(LAST_ROWS_MS)
ended.abort()
const { requests, longestGapMs, latenciesMs } = await watching
const units = await unitsOf(ids[0]!)
report(`A dashboard of ${VEHICLES.toLocaleString('en')} vehicles`, [
  { name: 'seconds', value: SECONDS, unit: 's' },
  { name: 'positions sent', value: sent, unit: '' },
  { name: 'vehicles that the dashboard shows elsewhere', value: unseen.size, unit: '', atMost: 0 },
  { name: 'requests', value: requests, unit: '' },
  { name: 'units of a vehicle', value: units, unit: '', atMost: DAILY_QUOTA },
  { name: 'longest gap between pages', value: longestGapMs, unit: 'ms', atMost: MAX_GAP_MS },
  { name: 'sending to dashboard, median', value: percentile(latenciesMs, 0.5), unit: 'ms' },
  { name: 'sending to dashboard, p99', value: percentile(latenciesMs, 0.99), unit: 'ms' },
  {
    name: 'processor of the server',
    value: (processorSeconds(server.pid) - usedBefore) / SECONDS,
    unit: 'of 1',
  },
  {
    name: 'growth of memory',
    value: (residentBytes(server.pid) - residentBefore) / MEGABYTE,
    unit: 'MB',
  },
])

async function addFleet(): Promise<FedFleet> {
  const store = await openStore({ folder: folder.path })
  const fleet = await addFedFleet(store, VEHICLES, { dailyQuota: DAILY_QUOTA })
  await store.close()
  return fleet
}

/** Follows the fleet, and notes what the dashboard has seen. */
async function watch() {
  let requests = 0
  const fleet = new Fleetgate({
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: key,
    onAnswer: () => {
      requests += 1
    },
  })
  const latenciesMs: number[] = []
  let [longestGapMs, lastAt] = [0, Number.POSITIVE_INFINITY]
  try {
    for await (const { changes } of fleet.replica().follow({ signal: ended.signal })) {
      const now = performance.now()
      for (const change of changes) {
        if (change.type !== 'state') continue
        const { id, time_device } = change.state
        const newest = unseen.get(id)
        if (newest === undefined || newest.time !== time_device) continue
        unseen.delete(id)
        latenciesMs.push(now - newest.at)
        longestGapMs = Math.max(longestGapMs, now - lastAt)
        lastAt = now
      }
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error
  }
  return { requests, longestGapMs, latenciesMs }
}

/** Sends the reports of all vehicles in turn, on schedule. Returns their number. */
async function drive(): Promise<number> {
  const begun = performance.now()
  let sent = 0
  for (let batch = 0; batch < (SECONDS * 1_000) / BATCH_MS; batch += 1) {
    await pause(Math.max(0, begun + batch * BATCH_MS - performance.now()))
    const time = new Date().toISOString()
    const from = (batch * BATCH) % VEHICLES
    const round = Math.floor((batch * BATCH) / VEHICLES)
    const vehicles = Array.from({ length: BATCH }, (_, each) => from + each)
    // A page may come before the acknowledgement does.
    for (const vehicle of vehicles) unseen.set(ids[vehicle]!, { time, at: performance.now() })
    await send(vehicles.map((vehicle) => rowOf(vehicle, round, time)))
    sent += BATCH
  }
  return sent
}

function rowOf(vehicle: number, round: number, time: string) {
  const latitude = Number((30 + vehicle / 1e3 + round / 1e3).toFixed(6))
  return { ident: identOf(vehicle), time_device: time, latitude, longitude: -97, speed: 36 }
}

async function send(rows: readonly object[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.feedPort}/feed/v1/positions`, {
    method: 'POST',
    headers: { 'x-feed-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  const { result } = (await answer.json()) as { result: { stored: number } }
  if (result.stored !== rows.length)
    throw new Error(`of ${rows.length} rows ${result.stored} were new`)
}

/** The units of the daily quota that a vehicle has used. To ask costs one. */
async function unitsOf(id: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/public/v1/objects/${id}`, {
    headers: { 'x-api-key': key },
  })
  const left = Number(answer.headers.get('x-quota-remaining'))
  return DAILY_QUOTA - left - 1
}
