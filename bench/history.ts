/**
 * Compares a history of 10,000 rows with the same rows as objects through `JSON.stringify`, in alternating rounds
 * on the same processor, from the same client. The target is relative to the faster of two comparisons: one
 * unpacks Fleetgate's own records, the other reads a table with a column for each field.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { readJson } from './answered-rows.ts'
import { type ChildServer, startFleetgate, startYardstick } from './child-server.ts'
import { writeColumnsTable } from './columns-table.ts'
import { addDrive, driveFix } from './drive.ts'
import { CLIENT_PROCESSOR, pin, processorSeconds } from './processor.ts'
import { type HistoryRequest, readHistory } from './read-history.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { historyPath, rotation } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

const ROWS = 10_000
/** Each has a rate window of its own. */
const TENANTS = isSmall ? 20 : 150
/** Answers of one round: one from each tenant, so that every organization remains within its limit. */
const ANSWERS = TENANTS
const AT_ONCE = 4
const ROUNDS = isSmall ? 2 : 5

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${TENANTS} organizations with ${ROWS.toLocaleString('en')} rows each`)
const tenants = await fill(folder.path)
const tenantsFile = join(folder.path, 'tenants.json')
writeFileSync(tenantsFile, JSON.stringify(tenants.map(asLastKnown)))
const columnsFile = join(folder.path, 'columns.db')
writeColumnsTable(columnsFile, tenants, ROWS)

pin(process.pid, CLIENT_PROCESSOR)
// The comparisons know no places.
await using fleetgate = await startFleetgate(folder.path, [
  '--data',
  folder.path,
  '--geocoder',
  'off',
])
const database = join(folder.path, DATABASE_FILE)
await using records = await startYardstick('row-objects-server.ts', [
  'records',
  database,
  tenantsFile,
])
await using columns = await startYardstick('row-objects-server.ts', [
  'columns',
  columnsFile,
  tenantsFile,
])
const servers = { fleetgate, records, columns }
const askAny = rotation(tenants)

progress('comparing the answers')
const answer = await answerOf(fleetgate)
assert.equal(answer.result.length, ROWS)
for (const other of [records, columns]) {
  // Printing a difference of that many rows would take minutes.
  assert.ok(isDeepStrictEqual(await answerOf(other), answer), 'a comparison answers other rows')
}

const rounds: Record<keyof typeof servers, Speed>[] = []
for (let i = 0; i <= ROUNDS; i++) {
  progress(i === 0 ? 'warming up' : `round ${i} of ${ROUNDS}`)
  const round = {
    records: await measure(records),
    fleetgate: await measure(fleetgate),
    columns: await measure(columns),
  }
  if (i > 0) rounds.push(round)
}

report(`history of ${ROWS.toLocaleString('en')} rows beside JSON.stringify of row objects`, [
  ratio('Fleetgate, of the faster', (speed) => speed.perSecond),
  // Independent of whether the client, or other processes, slow down one server more.
  ratio('the same, for each second of processor time', (speed) => speed.perProcessorSecond),
  rowsPerSecond('Fleetgate', 'fleetgate'),
  rowsPerSecond('row objects of records', 'records'),
  rowsPerSecond('row objects of columns', 'columns'),
])

type Speed = { perSecond: number; perProcessorSecond: number }

/** Rows a second of a server with several parallel history requests. */
async function measure(server: ChildServer): Promise<Speed> {
  const processorBefore = processorSeconds(server.pid)
  const start = performance.now()
  let left = ANSWERS
  const ask = async () => {
    while (left-- > 0) {
      const { rows } = await readHistory(requestTo(server, askAny()))
      if (rows !== ROWS) throw new Error(`${rows} rows came, not ${ROWS}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const seconds = (performance.now() - start) / 1000
  const rows = ANSWERS * ROWS
  return {
    perSecond: rows / seconds,
    perProcessorSecond: rows / (processorSeconds(server.pid) - processorBefore),
  }
}

function ratio(name: string, of: (speed: Speed) => number): Figure {
  const ratios = overRounds(
    rounds,
    (round) => of(round.fleetgate) / Math.max(of(round.records), of(round.columns)),
  )
  return { name, ...ratios, unit: '', atLeast: 2 }
}

function rowsPerSecond(name: string, server: keyof typeof servers): Figure {
  return { name, ...overRounds(rounds, (round) => round[server].perSecond), unit: 'rows/s' }
}

function requestTo({ port }: ChildServer, tenant: Tenant): HistoryRequest {
  return { port, path: historyPath(tenant, ROWS), key: tenant.key, coding: 'identity' }
}

async function answerOf({ port }: ChildServer): Promise<{ result: unknown[] }> {
  const [tenant] = tenants as [Tenant]
  return readJson(port, historyPath(tenant, ROWS), { 'x-api-key': tenant.key })
}

/** With the last known address in rows that have none. */
function asLastKnown(tenant: Tenant): Tenant {
  for (let i = ROWS - 1; i >= 0; i--) {
    const { address } = driveFix(i)
    if (address !== null) return { ...tenant, address }
  }
  return tenant
}

async function fill(data: string): Promise<Tenant[]> {
  const store = await openStore({ folder: data })
  const added = await addTenants(store, TENANTS)
  for (const tenant of added) await addDrive(store, tenant, ROWS)
  await store.close()
  return added
}
