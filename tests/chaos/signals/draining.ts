import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import { seeded } from '../../../packages/server/testing/random.ts'
import type { Finding, Trial } from '../part.ts'
import { startServer } from '../server.ts'
import { type Asked, askOn } from './asking.ts'
import { connect } from './connection.ts'
import { type Fate, fateOf } from './fate.ts'
import { addCallers, type Caller, storedOf } from './fleet.ts'
import { allLoads, BATCH, type Load } from './loads.ts'

const CALLERS = 30
/** The first exceed the socket buffers: the server is still sending while nothing is read. */
const HISTORIES = [60_000, 60_000, 8_000, 8_000]
const IDLE = 5
/** The documented maximum. */
const END_WITHIN_S = 30
/** One second, checked every 100 ms, on a busy machine. */
const IDLE_WITHIN_S = 2.5

/** The results of one SIGTERM. */
type Round = {
  seed: number
  code: number | null
  /** From the signal to the exit, and to the end of the last idle connection. */
  tookS: number
  idleS: number
  fates: { asked: Asked; fate: Fate }[]
}

/** Sends SIGTERM to a server during requests of all kinds, repeatedly. */
export async function drainOften(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'drained')
  const store = await openSqliteStore(folder)
  const callers = await addCallers(store, CALLERS, HISTORIES)
  await store.close()
  // Shared by all rounds: no position is sent twice.
  const loads = allLoads()
  const rounds: Round[] = []
  for (let i = 0; i < trial.amount({ minutes: 8, hours: 100 }); i++) {
    const round = await drainOnce(folder, callers, loads, trial.seed + i)
    rounds.push(round)
    trial.progress(
      `SIGTERM ${i + 1}: exit code ${round.code} after ${round.tookS.toFixed(1)} s, ${round.fates.length} times asked`,
    )
  }
  const again = await openSqliteStore(folder)
  const stored = await storedOf(again, callers)
  await again.close()
  return findingsOf(rounds, stored)
}

async function drainOnce(
  folder: string,
  callers: readonly Caller[],
  loads: readonly Load[],
  seed: number,
): Promise<Round> {
  const random = seeded('drain', seed)
  const server = await startServer(['--data', folder])
  const asked: Asked[] = []
  let signalledAt = Number.POSITIVE_INFINITY
  const secondsSince = () => (performance.now() - signalledAt) / 1_000
  const asking = askOn(
    {
      ports: { api: server.port, feed: server.feedPort },
      callers,
      seed,
      isOver: () => false,
      refused(load, error) {
        if (performance.now() < signalledAt) throw new Error(`${load.name}: ${error.message}`)
        return false
      },
      onResult: (each) => asked.push(each),
    },
    loads,
  )
  const idle = await Promise.all(Array.from({ length: IDLE }, () => connect(server.port)))
  await wait(random.between(100, 1_500))
  signalledAt = performance.now()
  server.signal('SIGTERM')
  const ended = Promise.all([
    Promise.all(idle.map((each) => each.ended)).then(secondsSince),
    asking,
  ])
  const code = await server.ended
  const tookS = secondsSince()
  const [idleS] = await ended
  const fates = asked.map((each) => ({ asked: each, fate: fateOf(each, signalledAt) }))
  return { seed, code, tookS, idleS, fates }
}

function findingsOf(rounds: readonly Round[], stored: number): Finding[] {
  const fates = rounds.flatMap((round) => round.fates)
  const of = (fate: Fate) => fates.filter((each) => each.fate === fate)
  const failed = rounds.find((round) => round.fates.some(({ fate }) => fate === 'failed'))
  const first = failed?.fates.find(({ fate }) => fate === 'failed')?.asked
  const wrongCode = rounds.find(({ code }) => code !== 0)
  const [took, idle] = [rounds.map(({ tookS }) => tookS), rounds.map(({ idleS }) => idleS)]
  const requests = fates.reduce((sum, { asked }) => sum + asked.requests, 0)
  const acknowledged = fates
    .filter(({ asked }) => asked.load.startsWith('feed'))
    .reduce((sum, { asked }) => sum + asked.answered * BATCH, 0)
  const lost = of('failed').length
  return [
    {
      what: `requests not answered whole, of ${requests} around ${rounds.length} SIGTERMs`,
      bar: 'none',
      measured:
        first === undefined ? 'none' : `${lost}; ${first.load}: ${first.outcome}, ${first.fault}`,
      met: lost === 0,
      ...(failed === undefined ? {} : { seed: failed.seed }),
    },
    {
      what: 'exit codes',
      bar: 'all 0',
      measured: wrongCode === undefined ? 'all 0' : `${wrongCode.code}`,
      met: wrongCode === undefined,
      ...(wrongCode === undefined ? {} : { seed: wrongCode.seed }),
    },
    {
      what: 'from the signal to the exit, at the most',
      bar: `${END_WITHIN_S} s`,
      measured: `${Math.max(...took).toFixed(1)} s`,
      met: Math.max(...took) <= END_WITHIN_S,
    },
    {
      what: 'from the signal until idle connections are closed, at the most',
      bar: `${IDLE_WITHIN_S} s`,
      measured: `${Math.max(...idle).toFixed(1)} s`,
      met: Math.max(...idle) <= IDLE_WITHIN_S,
    },
    {
      what: 'positions acknowledged, and stored',
      bar: 'as many',
      measured: `${acknowledged}, ${stored}`,
      met: acknowledged === stored,
    },
    {
      what: 'requests sent just as a connection that was quiet for a second was closed',
      bar: '',
      measured: `${of('raced').length}`,
      met: true,
    },
    {
      what: 'connections made just as the port was closed, and reset',
      bar: '',
      measured: `${of('reset').length}`,
      met: true,
    },
  ]
}
