/**
 * Measures a server with 10, 1,000 and 100,000 organizations of one vehicle each: its start, memory, and object
 * details for random organizations.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { addDrivers } from './drive.ts'
import { type Grown, measureGrown } from './grown.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, progress, report } from './report.ts'
import { detailPath } from './requests.ts'

const SIZES = isSmall ? [10, 300] : [10, 1_000, 100_000]

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
const grown: Grown[] = []
for (const organizations of SIZES) grown.push(await fill(organizations))
report('answers, starts and memory by the number of organizations', await measureGrown(grown))

async function fill(organizations: number): Promise<Grown> {
  const name = `${organizations.toLocaleString('en')} organizations`
  progress(name)
  const data = join(folder.path, `${organizations}`)
  mkdirSync(data)
  const store = await openStore({ folder: data })
  const tenants = await addDrivers(store, organizations, 1)
  await store.close()
  const asking = tenants.map((tenant) => ({ path: detailPath(tenant), key: tenant.key }))
  return { name: `among ${name}`, folder: data, asking: { detail: asking } }
}
