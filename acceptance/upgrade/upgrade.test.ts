/**
 * An upgrade from the release before, by docs/operating.md, of deployments in use: with `UPGRADE=whole`, which takes some
 * minutes and a registry.
 */
import { join } from 'node:path'
import { before, describe } from 'node:test'
import { emptyDatabase } from '../../packages/server/testing/servers/shared-postgres.ts'
import { clusterUrl, redisUrl } from '../../packages/server/testing/servers/shared-redis.ts'
import { type Deployment, inFolder, isEmbedded } from '../harness/deployment.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { describeReplacing, describeRolling } from './describe-rolling.ts'
import { describeUpgrade } from './describe-upgrade.ts'
import { type Installations, releaseBefore, upgradeFrom } from './releases.ts'

const skip = !isEmbedded
  ? 'it makes its own deployments'
  : process.env.UPGRADE !== 'whole'
    ? 'UPGRADE=whole installs the release before'
    : releaseBefore === undefined && 'the commit of the release before is not in this checkout'

const KINDS: [string, () => Promise<Deployment>][] = [
  ['A data folder', async () => inFolder(join(temporaryFolder(), 'data'))],
  ['PostgreSQL and Redis', async () => onServers(await redisUrl())],
  ['PostgreSQL and a Redis Cluster', async () => onServers(await clusterUrl())],
]
async function onServers(redis: string): Promise<Deployment> {
  const database = await emptyDatabase()
  return {
    args: ['--database', database],
    serveArgs: ['--redis', redis],
    folder: undefined,
    database,
  }
}

describe('An upgrade from the release before', { skip }, () => {
  let versions: Installations
  before(() => {
    versions = upgradeFrom(releaseBefore!)
  })
  const onRedis = async () => onServers(await redisUrl())

  for (const [kind, make] of KINDS) describeUpgrade(kind, make, () => versions)
  describeRolling('PostgreSQL and Redis', onRedis, () => versions)
  describeReplacing(onRedis, () => versions)
})
