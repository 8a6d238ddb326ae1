/**
 * Measures the cost of one position and one request in each part of a deployment on PostgreSQL and Redis: the
 * figures that docs/scaling.md uses.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFleetgate } from './child-server.ts'
import { progress, report } from './report.ts'
import { addAskers, measureDetail } from './scaling-detail.ts'
import { addFleet, measureFeed } from './scaling-feed.ts'
import { startSharedDeployment } from './shared-deployment.ts'

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
const alone = join(folder.path, 'alone')
mkdirSync(alone)
progress('organizations, keys and objects')
const fleet = await addFleet(deployment.database)
const tenants = await addAskers({ database: deployment.database })
const tenantsAlone = await addAskers({ folder: alone })

await using embedded = await startFleetgate(alone)
await using shared = await startFleetgate(folder.path, deployment.place)
const details = await measureDetail(
  deployment,
  { server: shared, tenants },
  { server: embedded, tenants: tenantsAlone },
)
report('what a deployment on PostgreSQL and Redis takes', [
  ...details,
  ...(await measureFeed(deployment, shared, fleet)),
])
