/**
 * An upgrade from an earlier version, by docs/operating.md, of deployments in use: with `UPGRADE=whole`, which takes some
 * minutes and a registry.
 */
import { join } from 'node:path'
import { before, describe } from 'node:test'
import { emptyDatabase } from '../../../packages/server/testing/servers/shared-postgres.ts'
import { clusterUrl, redisUrl } from '../../../packages/server/testing/servers/shared-redis.ts'
import { type Deployment, inFolder, isEmbedded } from '../../harness/deployment.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { describeReplacing, describeRolling } from './describe-rolling.ts'
import { describeUpgrade } from './describe-upgrade.ts'
import { earlierVersion, type Installations, upgradeFrom } from './versions.ts'

const skip = !isEmbedded
  ? 'it makes its own deployments'
  : process.env.UPGRADE !== 'whole'
    ? 'UPGRADE=whole installs an earlier version'
    : earlierVersion === undefined && 'the commit of the earlier version is not in this checkout'

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

describe('An upgrade from an earlier version', { skip }, () => {
  let versions: Installations
  before(() => {
    versions = upgradeFrom(earlierVersion!)
  })
  const onRedis = async () => onServers(await redisUrl())

  for (const [kind, make] of KINDS) describeUpgrade(kind, make, () => versions)
  describeRolling('PostgreSQL and Redis', onRedis, () => versions)
  describeReplacing(onRedis, () => versions)
})
