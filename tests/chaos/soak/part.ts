import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from '../../../packages/server/testing/random.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import { type Install, makeInstall } from '../clients/install.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { type ApiLoad, openApiLoad } from './api-load.ts'
import { apiRequests } from './api-requests.ts'
import { exportOn } from './exports.ts'
import { type Faults, noFaults } from './faults.ts'
import { feedOn } from './feed-load.ts'
import { judgeFlat, type Of, type Sample } from './flat.ts'
import { changeKeys } from './keys.ts'
import { type ServerState, stateOf } from './samples.ts'

const ROWS = 100_000
const LONG = 4
const SAMPLES = 180
const MIN_SAMPLE_MS = 500
const WARM_UP_MS = 30_000

export const part: Part = {
  name: 'soak',
  title: 'Half an hour of steady load',
  summary: 'A server under a constant load must not grow or slow down.',
  about: `
One \`fleetgate serve\` over a data folder, as shipped, has a load that does not change: 100 API requests a second of all kinds, right
and wrong ones, by 199 organizations, each when it is due, in all codings, one in ten over a new connection; 20 single positions and
two batches of 50 a second to the feed; a history of ${ROWS.toLocaleString('en')} rows read whole every five seconds; a key made,
used, revoked and used again every ten. Each answer is compared with the right one.

After half a minute the server is sampled ${SAMPLES} times at even intervals. The time is divided into sixths. The first does not
count, because it may still warm up, and the last is compared with the second. Resident memory is judged with V8's young generation,
where all objects begin, and without it. V8 doubles the young generation, up to 128 MB, when as much as it holds has survived in it,
which at this load may be in any minute (without a limit, a server had 180 MB in the second sixth and 238 in the last). A server lets
it grow to 64. The number of objects stays the same. Positions become more, and only the disk has to hold them.`,
  run,
}

async function run(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'data')
  const install = await makeInstall(folder, LONG, ROWS)
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  try {
    return await soak(trial, server, folder, install)
  } finally {
    await server.stop()
  }
}

async function soak(
  { seed, amount, progress }: Trial,
  server: ServerProcess,
  folder: string,
  install: Install,
): Promise<Finding[]> {
  const seconds = amount({ minutes: 60, hours: 1800 })
  progress(`${seconds} seconds`)
  const over = new AbortController()
  const [forKeys, ...askers] = install.others.toReversed()
  const random = seeded('soak', seed)
  const load = openApiLoad(server.api, apiRequests(askers, random), random)
  const others = { feed: noFaults(), exports: noFaults(), keys: noFaults() }
  const loads = Promise.all([
    feedOn(server.feed, install, others.feed, over.signal),
    exportOn(server.port, install, others.exports, over.signal),
    changeKeys(folder, server.api, forKeys!, others.keys, over.signal),
  ])
  const watched = (async () => {
    await wait(WARM_UP_MS)
    load.takeLatencies()
    return watch(server, folder, load, seconds * 1000)
  })()
  const { states, latencies, failures } = await watched.finally(() => over.abort())
  await Promise.all([load.stop(), loads])
  return [
    faultsFinding('API requests', load.faults),
    faultsFinding('requests to the feed', others.feed),
    faultsFinding('whole histories', others.exports),
    faultsFinding('requests with keys that come and go', others.keys),
    {
      what: 'failures in the server’s log',
      bar: 'none',
      measured: failures.length === 0 ? '0' : `${failures.length}: ${failures[0]}`,
      met: failures.length === 0,
    },
    ...flatFindings(states, latencies),
    youngFinding(states),
  ]
}

type Watched = {
  states: (ServerState & { at: number })[]
  latencies: Sample[]
  failures: string[]
}

/** Samples a server for this time. */
async function watch(
  server: ServerProcess,
  folder: string,
  load: ApiLoad,
  durationMs: number,
): Promise<Watched> {
  const watched: Watched = { states: [], latencies: [], failures: [] }
  const start = performance.now()
  const every = Math.max(MIN_SAMPLE_MS, durationMs / SAMPLES)
  for (;;) {
    await wait(every)
    const at = (performance.now() - start) / durationMs
    if (at >= 1) return watched
    watched.states.push({ ...(await stateOf(server, folder)), at })
    for (const value of load.takeLatencies()) watched.latencies.push({ at, value })
    // The log of half an hour should not fill the memory of this process.
    for (const { level, err } of server.log.splice(0)) {
      if (level >= 50) watched.failures.push(`${err?.message}`)
    }
  }
}

function flatFindings(states: Watched['states'], latencies: Sample[]): Finding[] {
  const of = (name: keyof ServerState): Sample[] =>
    states.map((state) => ({ at: state.at, value: state[name] }))
  const flat = (what: string, unit: string, figure: Of, factor: number, amount: number) => ({
    what,
    unit,
    of: figure,
    factor,
    amount,
  })
  return [
    { ...flat('resident memory', 'MB', 'median', 1.1, 20), samples: of('resident') },
    {
      ...flat('resident memory but for V8’s young generation', 'MB', 'median', 1.1, 20),
      samples: of('lasting'),
    },
    { ...flat('V8’s heap in use', 'MB', 'least', 1.1, 10), samples: of('heap') },
    { ...flat('memory outside of that heap', 'MB', 'least', 1.1, 10), samples: of('external') },
    { ...flat('open descriptors', '', 'median', 1, 10), samples: of('descriptors') },
    { ...flat('SQLite’s log', 'MB', 'most', 1.5, 16), samples: of('log') },
    { ...flat('API requests, p50', 'ms', 'median', 1.5, 2), samples: latencies },
    { ...flat('API requests, p99', 'ms', 'p99', 1.5, 5), samples: latencies },
    {
      ...flat('event-loop delay, p99 of each sample', 'ms', 'median', 1.5, 5),
      samples: of('eventLoopP99'),
    },
  ].map(judgeFlat)
}

function faultsFinding(what: string, { asked, wrong, examples }: Faults): Finding {
  return {
    what: `${what}: not answered as they have to be`,
    bar: 'none',
    measured: `${wrong} of ${asked.toLocaleString('en')}${examples.length === 0 ? '' : `: ${examples.join('; ')}`}`,
    met: wrong === 0 && asked > 0,
  }
}

function youngFinding(states: Watched['states']): Finding {
  const sizes = states.map(({ young }) => Math.round(young))
  const grew = sizes.filter((size, i) => size !== sizes[i - 1])
  return {
    what: 'V8’s young generation, as its size changed',
    bar: '',
    measured: `${grew.join(', ')} MB`,
    met: true,
  }
}
