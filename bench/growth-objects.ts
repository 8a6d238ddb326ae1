/**
 * Measures a server with 1,000 to 1,000,000 objects, in organizations of 100 each: its start, memory, object
 * details and lists of an organization's objects, for random organizations.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { addFleets } from './fleets.ts'
import { type Grown, measureGrown } from './grown.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, progress, report } from './report.ts'

const OBJECTS_EACH = 100
const SIZES = isSmall ? [1_000, 3_000] : [1_000, 10_000, 100_000, 1_000_000]

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
const grown: Grown[] = []
for (const objects of SIZES) grown.push(await fill(objects))
report('answers, starts and memory by the number of objects', await measureGrown(grown))

async function fill(size: number): Promise<Grown> {
  const name = `${size.toLocaleString('en')} objects`
  progress(name)
  const data = join(folder.path, `${size}`)
  mkdirSync(data)
  const store = await openStore({ folder: data })
  const fleets = await addFleets(store, size / OBJECTS_EACH, OBJECTS_EACH)
  await store.close()
  const path = '/public/v1/objects'
  return {
    name: `among ${name}`,
    folder: data,
    asking: {
      detail: fleets.map(({ key, objects }, i) => ({
        path: `${path}/${objects[(i * 37) % OBJECTS_EACH]}`,
        key,
      })),
      'list of 100': fleets.map(({ key }) => ({ path, key })),
    },
  }
}
