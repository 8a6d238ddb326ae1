/**
 * Measures the cost of counting usage for `GET /objects/{id}` in the worst case: each request has another key.
 * Counts and stores as the server does, and compares with the processor time of a request.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import { openUsageCounts } from '../packages/server/src/data/usage/usage-counts.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { untilAtRest } from './at-rest.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, overRounds, progress, report } from './report.ts'
import { detailRequest, rotation } from './requests.ts'
import { addTenants } from './tenants.ts'

const TENANTS = isSmall ? 2_500 : 30_000
const CONNECTIONS = 64
const ROUNDS = isSmall ? 2 : 5
const ROUND_SECONDS = isSmall ? 0.5 : 5
/** The interval at which the server stores its counts. */
const STORED_EVERY_SECONDS = 60
const NANO = 1e9

using folder = mkdtempDisposableSync(`${tmpdir()}/fleetgate-bench-`)
progress(`${TENANTS} organizations with a key each`)
const store = await openStore({ folder: folder.path })
const tenants = await addTenants(store, TENANTS)
const keys = await store.keys.all()
const counted = keys.map(({ id, organization }) => {
  return { organization, key: id, operation: 'getObject', status: 200 }
})

type Round = { countNs: number; storeSeconds: number; requestNs: number }
const rounds: Round[] = []
const measured: Pick<Round, 'countNs' | 'storeSeconds'>[] = []
for (let i = 0; i < ROUNDS; i++) {
  progress(`counting, round ${i + 1} of ${ROUNDS}`)
  measured.push(await counting())
}
await store.close()

pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const next = rotation(tenants.map(detailRequest))
await untilAtRest(fleetgate.pid)
progress('warming up')
await closedLoop(fleetgate, next, CONNECTIONS, ROUND_SECONDS)
for (const each of measured) {
  progress(`requests, round ${rounds.length + 1} of ${ROUNDS}`)
  const { perProcessorSecond } = await closedLoop(fleetgate, next, CONNECTIONS, ROUND_SECONDS)
  rounds.push({ ...each, requestNs: NANO / perProcessorSecond })
}

report('usage counters beside GET /objects/{id}', [
  {
    name: 'what counting adds to a request, of its processor time',
    ...overRounds(rounds, ({ countNs, requestNs }) => (100 * countNs) / requestNs),
    unit: '%',
    atMost: 2,
  },
  {
    name: 'with what is stored every minute, of a server that is kept busy',
    ...overRounds(
      rounds,
      ({ countNs, requestNs, storeSeconds }) =>
        (100 * countNs) / requestNs + (100 * storeSeconds) / STORED_EVERY_SECONDS,
    ),
    unit: '%',
    atMost: 2,
  },
  { name: 'counting a request', ...overRounds(rounds, ({ countNs }) => countNs), unit: 'ns' },
  {
    name: `storing the counts of ${TENANTS} keys`,
    ...overRounds(rounds, ({ storeSeconds }) => 1_000 * storeSeconds),
    unit: 'ms of processor time',
  },
  {
    name: 'a request',
    ...overRounds(rounds, ({ requestNs }) => requestNs / 1_000),
    unit: 'µs of processor time',
  },
])

async function counting(): Promise<Pick<Round, 'countNs' | 'storeSeconds'>> {
  const usage = openUsageCounts(store.usage, systemClock)
  const times = 20
  const before = process.cpuUsage()
  for (let time = 0; time < times; time += 1) for (const each of counted) usage.count(each)
  const counting = secondsSince(before)
  const afterCounting = process.cpuUsage()
  await usage.write()
  return {
    countNs: (counting * NANO) / (times * counted.length),
    storeSeconds: secondsSince(afterCounting),
  }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
