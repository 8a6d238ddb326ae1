/**
 * Compares a history of 10,000 rows with Platformatic DB on the same rows in typed columns: a Fleetgate in the
 * same database, and one on a data folder. Rounds alternate, from the same client. Servers, databases and client
 * share the machine's processors, except the Fleetgate on a folder, which has one processor.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/compose.ts'
import { countObjects, readJson } from './answered-rows.ts'
import { type ChildServer, startFleetgate, startYardstick } from './child-server.ts'
import { addDrive, DRIVE_START, driveEnd } from './drive.ts'
import {
  type AnswerRow,
  asAnswered,
  platformaticPath,
  repeatDrive,
  writeHistoryTable,
} from './platformatic-table.ts'
import { familyProcessorSeconds, processorSeconds, unpin } from './processor.ts'
import { isSmall, overRounds, progress, report } from './report.ts'
import { historyPath, rotation } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const ROWS = 10_000
/** One object for each tenant, which may send ten requests in ten seconds. */
const TENANTS = isSmall ? 20 : 200
/** Answers of one round, each for another organization. */
const ANSWERS = TENANTS / 2
const AT_ONCE = 4
const ROUNDS = isSmall ? 2 : 5

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
progress(`${TENANTS} objects with ${ROWS.toLocaleString('en')} rows each`)
const tenants = await fill()
const alone = join(folder.path, 'alone')
mkdirSync(alone)
const tenantsAlone = await fillFolder(alone)

await using embedded = await startFleetgate(alone)
await using fleetgate = await startFleetgate(folder.path, deployment.place)
const [one, another] = [tenants[0]!, tenants.at(-1)!]
progress('the same rows in typed columns')
await writeHistoryTable(deployment.sql, await rowsOfFleetgate(one))
await using platformatic = await startYardstick(
  'platformatic-server.ts',
  [deployment.database, `${ROWS}`],
  join(folder.path, 'platformatic.log'),
)
for (const { pid } of [fleetgate, platformatic]) unpin(pid)

progress('comparing the answers')
for (const tenant of [one, another]) {
  const rows = await rowsOfFleetgate(tenant)
  assert.equal(rows.length, ROWS)
  const same = await rowsOfPlatformatic(tenant)
  // Row by row: printing a difference of this size takes minutes.
  for (const [i, row] of rows.entries()) assert.deepEqual(same[i], row)
}

const PROCESSOR = 'perProcessorSecond'
type Speed = { perSecond: number; perProcessorSecond: number; bytesPerRow: number }

const contenders = {
  embedded: contender(embedded, tenantsAlone, requestOfFleetgate, 1),
  fleetgate: contender(fleetgate, tenants, requestOfFleetgate, 1),
  platformatic: contender(platformatic, tenants, requestOfPlatformatic, 0),
}
const rounds: Record<keyof typeof contenders, Speed>[] = []
for (let i = 0; i <= ROUNDS; i++) {
  progress(i === 0 ? 'warming up' : `round ${i} of ${ROUNDS}`)
  const round = {
    platformatic: await measure(contenders.platformatic),
    fleetgate: await measure(contenders.fleetgate),
    embedded: await measure(contenders.embedded),
  }
  if (i > 0) rounds.push(round)
}

report(`history of ${ROWS.toLocaleString('en')} rows beside Platformatic DB`, [
  {
    name: 'Fleetgate embedded on one processor, of Platformatic DB',
    ...ratio('embedded', 'perSecond'),
    atLeast: 4,
  },
  { name: 'the same, for each second of processor time', ...ratio('embedded', PROCESSOR) },
  {
    name: 'Fleetgate on PostgreSQL, of Platformatic DB',
    ...ratio('fleetgate', 'perSecond'),
    atLeast: 3,
  },
  { name: 'it, for each second of processor time', ...ratio('fleetgate', PROCESSOR) },
  { name: 'Fleetgate embedded, one processor', ...speed('embedded', 'perSecond'), unit: 'rows/s' },
  { name: 'Fleetgate', ...speed('fleetgate', 'perSecond'), unit: 'rows/s' },
  { name: 'Platformatic DB', ...speed('platformatic', 'perSecond'), unit: 'rows/s' },
  {
    name: 'Fleetgate embedded, by processor second',
    ...speed('embedded', PROCESSOR),
    unit: 'rows',
  },
  {
    name: 'Fleetgate with PostgreSQL and Redis, by processor second',
    ...speed('fleetgate', PROCESSOR),
    unit: 'rows',
  },
  {
    name: 'Platformatic DB with PostgreSQL, by processor second',
    ...speed('platformatic', PROCESSOR),
    unit: 'rows',
  },
  { name: 'Fleetgate, of a row', ...speed('fleetgate', 'bytesPerRow'), unit: 'bytes' },
  { name: 'Platformatic DB, of a row', ...speed('platformatic', 'bytesPerRow'), unit: 'bytes' },
])

type Contender = keyof typeof contenders

function ratio(of: Contender, figure: keyof Speed) {
  const ofRounds = overRounds(rounds, (round) => round[of][figure] / round.platformatic[figure])
  return { ...ofRounds, unit: '' }
}

function speed(of: Contender, figure: keyof Speed) {
  return overRounds(rounds, (round) => round[of][figure])
}

type Request = { path: string; headers: Record<string, string> }

/** `around`: objects of an answer that are not rows. */
function contender(
  server: ChildServer,
  asking: Tenant[],
  of: (tenant: Tenant) => Request,
  around: number,
) {
  return {
    server,
    async ask(tenant: Tenant) {
      const { path, headers } = of(tenant)
      const { objects, bytes } = await countObjects(server.port, path, headers)
      if (objects - around !== ROWS) throw new Error(`${objects - around} rows came, not ${ROWS}`)
      return bytes
    },
    next: rotation(asking),
  }
}

/** Rows a second of a server with several parallel history requests. */
async function measure({ server, ask, next }: ReturnType<typeof contender>): Promise<Speed> {
  const used = () =>
    processorSeconds(server.pid) +
    (server === embedded ? 0 : familyProcessorSeconds(deployment.postgresPid)) +
    (server === fleetgate ? processorSeconds(deployment.redis.pid) : 0)
  const before = used()
  const start = performance.now()
  let left = ANSWERS
  let bytes = 0
  const askAgain = async () => {
    while (left-- > 0) {
      const read = await ask(next())
      bytes += read
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askAgain))
  const seconds = (performance.now() - start) / 1000
  const rows = ANSWERS * ROWS
  return {
    perSecond: rows / seconds,
    perProcessorSecond: rows / (used() - before),
    bytesPerRow: bytes / rows,
  }
}

function requestOfFleetgate(tenant: Tenant): Request {
  return { path: historyPath(tenant, ROWS), headers: { 'x-api-key': tenant.key } }
}

function requestOfPlatformatic(tenant: Tenant): Request {
  return { path: platformaticPath(tenant, DRIVE_START, driveEnd(ROWS), ROWS), headers: {} }
}

async function rowsOfFleetgate(tenant: Tenant): Promise<AnswerRow[]> {
  const { path, headers } = requestOfFleetgate(tenant)
  return (await readJson<{ result: AnswerRow[] }>(fleetgate.port, path, headers)).result
}

async function rowsOfPlatformatic(tenant: Tenant): Promise<AnswerRow[]> {
  const { path, headers } = requestOfPlatformatic(tenant)
  return (await readJson<AnswerRow[]>(platformatic.port, path, headers)).map(asAnswered)
}

async function fill(): Promise<Tenant[]> {
  const store = await openStore({ database: deployment.database })
  // The partitions of these weeks, as upkeep makes them in advance.
  await store.positions.makeRoom(DRIVE_START, 0)
  const added = await addTenants(store, TENANTS)
  await addDrive(store, added[0]!, ROWS)
  await store.close()
  await repeatDrive(deployment.sql, added[0]!)
  return added
}

async function fillFolder(data: string): Promise<Tenant[]> {
  const store = await openStore({ folder: data })
  const added = await addTenants(store, TENANTS)
  for (const tenant of added) await addDrive(store, tenant, ROWS)
  await store.close()
  return added
}
