import { describe, it } from 'node:test'
import { isEmbedded, KIND } from '../harness/deployment.ts'
import { backUpOrRestore, move, restart } from './operations/upkeep.ts'
import { openServersHost } from './servers-host.ts'
import { runTrial } from './trial.ts'

const isWhole = process.env.REPLICA === 'whole'
/** In the small form, a seed of each kind of operations on a single Redis, and one on the Cluster. */
const SMALL = KIND === 'postgres-cluster' ? 1 : 2
const SEEDS = Number(process.env.SERVER_SEEDS ?? (isWhole ? 40 : SMALL))
/** A Citus is backed up with its workers: tests/acceptance/process/citus/citus-restore.test.ts. */
const BACKED_UP = [backUpOrRestore, restart, backUpOrRestore]
/** Each takes seconds, so they happen in some seeds only. */
const PLANS = [[move, restart, move], KIND === 'citus-redis' ? [restart] : BACKED_UP, [], []]

const onServers = { skip: isEmbedded ? 'it is about PostgreSQL and Redis' : false }

describe('A replica of a deployment of three processes', onServers, () => {
  it('equals lists, details, latest positions and histories, whatever happens', async (t) => {
    const host = await openServersHost()
    t.after(host.close)
    const began = performance.now()
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      await runTrial(seed, host, { planned: PLANS[(seed - 1) % PLANS.length]!, isSlow: true })
    }
    const seconds = Math.round((performance.now() - began) / 1_000)
    t.diagnostic(`${SEEDS} seeds passed in ${seconds} s`)
  })
})
