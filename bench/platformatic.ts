/**
 * A history of 10,000 rows on PostgreSQL and Redis beside Platformatic DB over the same rows in typed
 * columns, in the same database: rounds of the one and the other in turn, from the same client. All of
 * them, servers, databases and client, share the machine's processors.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
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
import { type Figure, isSmall, median, progress, report } from './report.ts'
import { historyPath, rotation } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const ROWS = 10_000
/** An object each, which may be asked ten times in ten seconds. */
const TENANTS = isSmall ? 20 : 200
/** Of one round, each from another organization. */
const ANSWERS = TENANTS / 2
const AT_ONCE = 4
const ROUNDS = isSmall ? 2 : 5

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
progress(`${TENANTS} objects with ${ROWS.toLocaleString('en')} rows each`)
const tenants = await fill()

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
  // Row by row: a difference of two that are this long takes minutes to be told.
  for (const [i, row] of rows.entries()) assert.deepEqual(same[i], row)
}

type Speed = { perSecond: number; perProcessorSecond: number; bytesPerRow: number }

const contenders = {
  fleetgate: contender(fleetgate, requestOfFleetgate, 1),
  platformatic: contender(platformatic, requestOfPlatformatic, 0),
}
const rounds: Record<keyof typeof contenders, Speed>[] = []
for (let i = 0; i <= ROUNDS; i++) {
  progress(i === 0 ? 'warming up' : `round ${i} of ${ROUNDS}`)
  const round = {
    platformatic: await measure(contenders.platformatic),
    fleetgate: await measure(contenders.fleetgate),
  }
  if (i > 0) rounds.push(round)
}

report(`history of ${ROWS.toLocaleString('en')} rows on PostgreSQL beside Platformatic DB`, [
  ...spread('Fleetgate, of Platformatic DB', '', ratioOf('perSecond'), 3),
  ...spread('the same, for each second of processor time', '', ratioOf('perProcessorSecond')),
  ...spread('Fleetgate', 'rows/s', (round) => round.fleetgate.perSecond),
  ...spread('Platformatic DB', 'rows/s', (round) => round.platformatic.perSecond),
  perProcessorSecond('fleetgate', 'Fleetgate with PostgreSQL and Redis'),
  perProcessorSecond('platformatic', 'Platformatic DB with PostgreSQL'),
  bytesPerRow('fleetgate', 'Fleetgate'),
  bytesPerRow('platformatic', 'Platformatic DB'),
])

type Round = (typeof rounds)[number]

/** The middle one, which a bar may stand against, and how far the rounds lie apart. */
function spread(
  name: string,
  unit: string,
  of: (round: Round) => number,
  atLeast?: number,
): Figure[] {
  const values = rounds.map(of)
  return [
    { name, value: median(values), unit, ...(atLeast === undefined ? {} : { atLeast }) },
    { name: '  lowest', value: Math.min(...values), unit },
    { name: '  highest', value: Math.max(...values), unit },
  ]
}

function ratioOf(figure: keyof Speed): (round: Round) => number {
  return (round) => round.fleetgate[figure] / round.platformatic[figure]
}

function perProcessorSecond(of: keyof typeof contenders, name: string): Figure {
  const value = median(rounds.map((round) => round[of].perProcessorSecond))
  return { name: `${name}, by processor second`, value, unit: 'rows' }
}

function bytesPerRow(of: keyof typeof contenders, name: string): Figure {
  const value = median(rounds.map((round) => round[of].bytesPerRow))
  return { name: `${name}, of a row`, value, unit: 'bytes' }
}

type Request = { path: string; headers: Record<string, string> }

/** `around`: objects of an answer that are no rows. */
function contender(server: ChildServer, of: (tenant: Tenant) => Request, around: number) {
  return {
    server,
    async ask(tenant: Tenant) {
      const { path, headers } = of(tenant)
      const { objects, bytes } = await countObjects(server.port, path, headers)
      if (objects - around !== ROWS) throw new Error(`${objects - around} rows came, not ${ROWS}`)
      return bytes
    },
    next: rotation(tenants),
  }
}

/** Rows a second of a server that is asked for several histories at once. */
async function measure({ server, ask, next }: ReturnType<typeof contender>): Promise<Speed> {
  const used = () =>
    processorSeconds(server.pid) +
    familyProcessorSeconds(deployment.postgresPid) +
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
  // As it would have been when these weeks came.
  await store.positions.makeRoom(DRIVE_START, 0)
  const added = await addTenants(store, TENANTS)
  await addDrive(store, added[0]!, ROWS)
  await store.close()
  await repeatDrive(deployment.sql, added[0]!)
  return added
}
