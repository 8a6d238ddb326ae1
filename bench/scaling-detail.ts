import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import type { ChildServer } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { addDrive } from './drive.ts'
import { familyProcessorSeconds, processorSeconds } from './processor.ts'
import { type Figure, isSmall, median, progress } from './report.ts'
import { detailRequest, rotation } from './requests.ts'
import type { SharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const TENANTS = isSmall ? 500 : 3_000
/** Requests of each organization in a round; the next round starts when its window is empty again. */
const REQUESTS = 9
const WINDOW_MS = 10_000
const ROUNDS = isSmall ? 2 : 5
const CONNECTIONS = 64
/** Tenants are added in parallel: each waits for the disk. */
const AT_ONCE = 10

export async function addAskers(location: Parameters<typeof openStore>[0]): Promise<Tenant[]> {
  const store = await openStore(location)
  const share = TENANTS / AT_ONCE
  const added = await Promise.all(Array.from({ length: AT_ONCE }, () => addReporting(store, share)))
  await store.close()
  return added.flat()
}

async function addReporting(store: Store, count: number): Promise<Tenant[]> {
  const tenants = await addTenants(store, count)
  for (const tenant of tenants) await addDrive(store, tenant, 1)
  return tenants
}

/** A measured server, and the tenants that it may be asked for. */
type Asked = { server: ChildServer; tenants: Tenant[] }
type Costs = { round: Round; redis: number; postgres: number }

/** Compares `GET /objects/{id}` of one process on PostgreSQL and Redis with an embedded one. */
export async function measureDetail(
  deployment: SharedDeployment,
  shared: Asked,
  embedded: Asked,
): Promise<Figure[]> {
  const { redis, postgresPid, sql } = deployment
  const client = redis.client()

  async function measure({ server, tenants }: Asked): Promise<Costs> {
    const give = rotation(tenants.map(detailRequest))
    let left = tenants.length * REQUESTS
    const before = [processorSeconds(redis.pid), familyProcessorSeconds(postgresPid)]
    const round = await closedLoop(
      server,
      () => (left-- > 0 ? give() : undefined),
      CONNECTIONS,
      Infinity,
    )
    if (round.others > 0) throw new Error(`${round.others} answers were not 200`)
    const [ofRedis, ofPostgres] = before as [number, number]
    return {
      round,
      redis: (processorSeconds(redis.pid) - ofRedis) / round.ok,
      postgres: (familyProcessorSeconds(postgresPid) - ofPostgres) / round.ok,
    }
  }

  const rounds: { shared: Costs; embedded: Costs }[] = []
  for (let i = 0; i <= ROUNDS; i++) {
    progress(i === 0 ? 'details: warming up' : `details: round ${i} of ${ROUNDS}`)
    if (i === 1) await client.config('RESETSTAT')
    const round = { embedded: await measure(embedded), shared: await measure(shared) }
    if (i > 0) rounds.push(round)
    await pause(WINDOW_MS)
  }
  const stats = await client.info('commandstats')
  const [, calls, usec] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(stats)!.map(Number)
  const { rows } = await sql.query(`
    SELECT count(*) - 1 AS connections FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND datname = current_database()`)
  const middle = (of: (round: { shared: Costs; embedded: Costs }) => number) =>
    median(rounds.map(of))

  return [
    {
      name: 'details, on PostgreSQL and Redis, of embedded',
      value: middle((round) => round.shared.round.perSecond / round.embedded.round.perSecond),
      unit: '',
    },
    {
      name: '  the same, by processor second of the API process',
      value: middle(
        (round) => round.shared.round.perProcessorSecond / round.embedded.round.perProcessorSecond,
      ),
      unit: '',
    },
    {
      name: '  on PostgreSQL and Redis, by the clock',
      value: middle((round) => round.shared.round.perSecond),
      unit: 'requests/s',
    },
    {
      name: '  embedded, by the clock',
      value: middle((round) => round.embedded.round.perSecond),
      unit: 'requests/s',
    },
    {
      name: '  API process on PostgreSQL and Redis',
      value: middle((round) => 1e6 / round.shared.round.perProcessorSecond),
      unit: 'us a request',
    },
    {
      name: '  API process, embedded',
      value: middle((round) => 1e6 / round.embedded.round.perProcessorSecond),
      unit: 'us a request',
    },
    {
      name: '  Redis, processor',
      value: middle((round) => round.shared.redis * 1e6),
      unit: 'us a request',
    },
    { name: '  Redis, in the script', value: usec! / calls!, unit: 'us a call' },
    {
      name: '  PostgreSQL, processor',
      value: middle((round) => round.shared.postgres * 1e6),
      unit: 'us a request',
    },
    {
      name: 'connections of one process to PostgreSQL',
      value: Number(rows[0].connections),
      unit: '',
    },
  ]
}
