/** A rolling upgrade on a Citus, with `UPGRADE=whole`, which takes some minutes and a registry. */
import { after, before, describe } from 'node:test'
import {
  type Citus,
  citusIsMissing,
  newCitusDatabase,
  startCitus,
} from '../../../packages/server/testing/servers/citus.ts'
import { redisUrl } from '../../../packages/server/testing/servers/shared-redis.ts'
import { type Deployment, isEmbedded } from '../../harness/deployment.ts'
import { describeRolling } from './describe-rolling.ts'
import { firstOnCitus, type Installations, upgradeFrom } from './versions.ts'

const skip = !isEmbedded
  ? 'it makes its own deployment'
  : process.env.UPGRADE !== 'whole'
    ? 'UPGRADE=whole installs an earlier version'
    : firstOnCitus === undefined
      ? 'the first commit that distributes is not in this checkout'
      : (citusIsMissing ?? false)

describe('An upgrade on a Citus', { skip }, () => {
  let citus: Citus
  let versions: Installations

  before(async () => {
    versions = upgradeFrom(firstOnCitus!)
    citus = await startCitus()
  })
  after(() => citus?.stop())

  /** The earlier version lays out its tables, so that this one has to lay out those of its migrations. */
  async function make(): Promise<Deployment> {
    const servers = [citus.url, ...citus.workerUrls]
    const database = await newCitusDatabase(servers, 'upgraded', { isLaidOut: false })
    const args = ['--database', database]
    await versions.earlier.run(['distribute', ...args])
    const serveArgs = ['--redis', await redisUrl()]
    return { args, serveArgs, folder: undefined, database }
  }

  describeRolling('Citus and Redis', make, () => versions)
})
