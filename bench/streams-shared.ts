import { measureStreams } from './measure-streams.ts'
import { report } from './report.ts'
import { startSharedDeployment } from './shared-deployment.ts'

await using shared = await startSharedDeployment()
report('Streams on PostgreSQL and Redis', await measureStreams(shared))
