/**
 * Measures histories of 100, 1,000 and 10,000 rows among 1,000,000 and 10,000,000 positions on PostgreSQL:
 * Fleetgate, NestJS with TypeORM, and Platformatic DB, in turns. Servers, databases and the client share the
 * machine's processors.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openStore } from '../packages/server/src/compose.ts'
import { readJson } from './answered-rows.ts'
import { startFleetgate, startYardstick } from './child-server.ts'
import { addDrive, DRIVE_START } from './drive.ts'
import { startNestjs } from './nestjs-server.ts'
import { addPositions, copyCatalogue } from './nestjs-tables.ts'
import { type Ask, paced } from './paced.ts'
import {
  type AnswerRow,
  platformaticPath,
  repeatDrive,
  writeHistoryTable,
} from './platformatic-table.ts'
import { unpin } from './processor.ts'
import { type Figure, isSmall, median, overRounds, progress, report } from './report.ts'
import { historyPath, rangePath } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

/** Each object has one fix a second for seven hours. */
const ROWS_EACH = isSmall ? 10_000 : 25_000
const POSITIONS = isSmall ? [1e5, 4e5] : [1e6, 1e7]
const ROWS = [100, 1_000, 10_000]
const GREATEST_LIMIT = 10_000
/** Queries of one size in a round: random objects, and random starts within their rows. */
const QUERIES = isSmall ? 10 : 60
const ROUNDS = isSmall ? 2 : 5

const CONTENDERS = ['Fleetgate', 'NestJS', 'Platformatic DB'] as const
type Contender = (typeof CONTENDERS)[number]
type Stage = { name: string; tenants: Tenant[]; ask: Record<Contender, Ask> }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
await using servers = new AsyncDisposableStack()
const stages: Stage[] = []
for (const positions of POSITIONS) stages.push(await stage(positions))
const figures: Figure[] = []
for (const rows of ROWS) figures.push(...(await measure(rows)))
report('histories on PostgreSQL by the number of positions, beside peers', figures)

/** A database with this many positions in the tables of each contender, and the servers on it. */
async function stage(positions: number): Promise<Stage> {
  const count = positions.toLocaleString('en')
  progress(`${count} positions`)
  const url = await deployment.newDatabase()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  const tenants = await deployment.whileLoading(() => fill(url, sql, positions / ROWS_EACH))
  const [first] = tenants as [Tenant]

  const place = ['--database', url, '--redis', deployment.redis.url, '--geocoder', 'off']
  const fleetgate = servers.use(await startFleetgate(folder.path, place))
  const path = historyPath(first, ROWS_EACH)
  const headers = { 'x-api-key': first.key }
  const { result } = await readJson<{ result: AnswerRow[] }>(fleetgate.port, path, headers)

  progress(`${count} positions for Platformatic DB`)
  await writeHistoryTable(sql, result)
  const log = (name: string) => join(folder.path, `${name}-${positions}.log`)
  const platformatic = servers.use(
    await startYardstick('platformatic-server.ts', [url, `${GREATEST_LIMIT}`], log('platformatic')),
  )

  progress(`${count} positions for NestJS`)
  const nestjs = servers.use(await startNestjs(url, sql, log('nestjs')))
  const store = await openStore({ database: url })
  await copyCatalogue(sql, store)
  await store.close()
  const driven = tenants.map(({ object }) => ({ object, rows: ROWS_EACH }))
  await addPositions(sql, result, driven)
  await sql.end()
  for (const { pid } of [fleetgate, platformatic, nestjs]) unpin(pid)
  return {
    name: `among ${count}`,
    tenants,
    ask: {
      Fleetgate: paced(fleetgate.port),
      NestJS: paced(nestjs.port),
      'Platformatic DB': paced(platformatic.port),
    },
  }
}

async function fill(url: string, sql: pg.Client, objects: number): Promise<Tenant[]> {
  const store = await openStore({ database: url })
  // The partitions of these weeks, as upkeep makes them in advance.
  await store.positions.makeRoom(DRIVE_START, 0)
  const tenants = await addTenants(store, objects)
  await addDrive(store, tenants[0]!, ROWS_EACH)
  await store.close()
  await repeatDrive(sql, tenants[0]!)
  return tenants
}

/** Every query ran once before, so its rows are in memory. */
async function measure(rows: number): Promise<Figure[]> {
  const name = `history of ${rows.toLocaleString('en')} rows`
  const rounds: Map<Stage, Record<Contender, number>>[] = []
  for (let i = 0; i <= ROUNDS; i++) {
    progress(`${name}: ${i === 0 ? 'warming up' : `round ${i} of ${ROUNDS}`}`)
    const round = await askAll(rows)
    if (i > 0) rounds.push(round)
  }
  const [fewest, most] = [stages[0]!, stages.at(-1)!]
  return CONTENDERS.flatMap((contender) => [
    ...stages.map((stage) => ({
      name: `${name}, ${stage.name}, ${contender}`,
      ...overRounds(rounds, (round) => round.get(stage)![contender]),
      unit: 'ms',
    })),
    {
      name: `${name}, ${contender}, ${most.name}, of that ${fewest.name}`,
      ...overRounds(rounds, (round) => round.get(most)![contender] / round.get(fewest)![contender]),
      unit: 'times',
    },
  ])
}

/** The median of each contender, queried in turns. */
async function askAll(rows: number): Promise<Map<Stage, Record<Contender, number>>> {
  const times = stages.map((stage) => ({
    stage,
    of: { Fleetgate: [], NestJS: [], 'Platformatic DB': [] } as Record<Contender, number[]>,
  }))
  for (let query = 0; query < QUERIES; query++) {
    for (const { stage, of } of times) {
      for (const contender of CONTENDERS) {
        of[contender].push(await ask(stage, contender, rows, query))
      }
    }
  }
  return new Map(
    times.map(({ stage, of }) => [
      stage,
      {
        Fleetgate: median(of.Fleetgate),
        NestJS: median(of.NestJS),
        'Platformatic DB': median(of['Platformatic DB']),
      },
    ]),
  )
}

/** The same object and range in each round. */
function ask(stage: Stage, contender: Contender, rows: number, query: number): Promise<number> {
  const tenant = stage.tenants[Math.floor(((query * 0.618_034) % 1) * stage.tenants.length)]!
  const first = Math.floor(((query * 0.414_214) % 1) * (ROWS_EACH - rows))
  const [from, to] = [first, first + rows - 1].map((second) => DRIVE_START + second * 1000)
  if (contender === 'Platformatic DB') {
    return stage.ask[contender](tenant, platformaticPath(tenant, from!, to!, rows), rows)
  }
  return stage.ask[contender](tenant, rangePath(tenant, from!, to!), 1 + rows)
}
