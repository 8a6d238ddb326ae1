import { setTimeout as wait } from 'node:timers/promises'
import { openPostgresStore } from '../../../packages/server/src/data/postgres/open.ts'
import { seeded } from '../../../packages/server/testing/random.ts'
import { missingServer, shareDeployment } from '../kills/shared-deployment.ts'
import type { Finding, Trial } from '../part.ts'
import { type SignalledServer, startServer } from '../server.ts'
import { type Asked, askOn } from './asking.ts'
import { isRaced } from './fate.ts'
import { addCallers, type Caller, storedOf } from './fleet.ts'
import { allLoads, BATCH } from './loads.ts'

const CALLERS = 40
const HISTORIES = [4_000, 4_000, 4_000, 4_000]
const PROCESSES = 2
const REPLACED = 'the processes are replaced'
const NOT_REPLACED = 'before it served'

/** Replaces all processes repeatedly during requests of all kinds. */
export async function replaceOften(trial: Trial): Promise<Finding[]> {
  const missing = missingServer()
  if (missing !== undefined) return [leftOut(missing)]
  await using opened = new AsyncDisposableStack()
  const { deployment, stop } = await shareDeployment()
  opened.defer(stop)
  const store = await openPostgresStore(deployment.database!, { replicas: [] })
  opened.defer(() => store.close())
  const callers = await addCallers(store, CALLERS, HISTORIES)
  const place = [...deployment.args, ...deployment.serveArgs]
  const server = await startServer([...place, '--processes', `${PROCESSES}`])
  const run = await replaceUnderLoad(trial, server, callers)
  const counted = await countedRequests(server)
  const stored = await storedOf(store, callers)
  server.signal('SIGTERM')
  const code = await server.ended
  return findingsOf(trial, run, { counted, stored, code, failures: server.failures.slice(0, 3) })
}

/** `failures`: the first log lines about one. */
type Afterwards = { counted: number; stored: number; code: number | null; failures: string[] }

type Run = {
  replacements: number
  /** Complete and right answers of each listener. */
  answered: { api: number; feed: number }
  /** Requests sent while a connection was closed after an idle second. */
  raced: number
  faults: string[]
}

async function replaceUnderLoad(
  { seed, amount, progress }: Trial,
  server: SignalledServer,
  callers: readonly Caller[],
): Promise<Run> {
  const requests = amount({ minutes: 20_000, hours: 1_000_000 })
  const replacements = amount({ minutes: 3, hours: 20 })
  const random = seeded('rolling', seed)
  const run: Run = { replacements: 0, answered: { api: 0, feed: 0 }, raced: 0, faults: [] }
  const isEnough = () =>
    run.answered.api + run.answered.feed >= requests && run.replacements >= replacements
  let isOver = false
  const loads = allLoads()
  const listeners = new Map(loads.map(({ name, listener }) => [name, listener]))

  function onResult(asked: Asked): void {
    const { load, answered, outcome, fault } = asked
    run.answered[listeners.get(load)!] += answered
    if (isRaced(asked, 0)) run.raced += 1
    else if (outcome !== 'answered') run.faults.push(`${load}: ${outcome}, ${fault}`)
  }

  async function replace(): Promise<void> {
    const failed = server.says(NOT_REPLACED, 1).then(() => {
      run.faults.push(`a process was not replaced: ${server.stderr()}`)
      return 'failed' as const
    })
    failed.catch(() => {})
    while (!isEnough() && run.faults.length === 0) {
      await wait(random.between(0, 2_000))
      server.signal('SIGHUP')
      const replaced = server.says(REPLACED, run.replacements + 1)
      if ((await Promise.race([replaced, failed])) === 'failed') break
      run.replacements += 1
      const { api, feed } = run.answered
      progress(`${run.replacements} times replaced, ${api + feed} requests answered`)
    }
    isOver = true
  }

  const asking = askOn(
    {
      ports: { api: server.port, feed: server.feedPort },
      callers,
      seed,
      isOver: () => isOver,
      refused(load, error) {
        run.faults.push(`${load.name}: ${error.message}`)
        return false
      },
      onResult,
    },
    loads,
  )
  await Promise.all([replace(), asking])
  return run
}

/** Requests that the public listener has counted, over all processes past and present. */
async function countedRequests({ admin }: SignalledServer): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  return [...text.matchAll(/^fleetgate_requests_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}

function findingsOf(
  { seed }: Trial,
  { replacements, answered, raced, faults }: Run,
  { counted, stored, code, failures }: Afterwards,
): Finding[] {
  const total = answered.api + answered.feed
  return [
    {
      what: `requests that failed, of ${total} while all ${PROCESSES} processes were replaced ${replacements} times`,
      bar: 'none',
      measured:
        faults.length === 0 ? 'none' : [`${faults.length}`, faults[0], ...failures].join('; '),
      met: faults.length === 0,
      ...(faults.length === 0 ? {} : { seed }),
    },
    {
      what: 'requests sent just as a connection that was quiet for a second was closed',
      bar: '',
      measured: `${raced}`,
      met: true,
    },
    {
      what: 'answers of the API that clients have, and that all processes together have counted',
      bar: 'as many',
      measured: `${answered.api}, ${counted}`,
      met: answered.api === counted,
    },
    {
      what: 'positions acknowledged meanwhile, and stored',
      bar: 'as many',
      measured: `${answered.feed * BATCH}, ${stored}`,
      met: answered.feed * BATCH === stored,
    },
    { what: 'exit code at the end', bar: '0', measured: `${code}`, met: code === 0 },
  ]
}

function leftOut(missing: string): Finding {
  return {
    what: 'replacing processes',
    bar: '',
    measured: `left out: no ${missing}`,
    met: true,
  }
}
