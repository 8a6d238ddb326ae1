/**
 * Compares `GET /objects` of organizations with 100 and 10,000 objects, unchanged (304), plain and in gzip, with
 * a bare `node:http` server that sends the same bytes and headers from memory.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { besideRaw, REQUESTS_EACH } from './beside-raw.ts'
import { captureAnswer } from './captured-answer.ts'
import { type ChildServer, startFleetgate } from './child-server.ts'
import { addFleets, type Fleet } from './fleets.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { type Figure, isSmall, progress, report } from './report.ts'
import { getRequest } from './requests.ts'

const PATH = '/public/v1/objects'
/**
 * `bodies`: requests of a burst that get a whole list. Those of 10,000 objects come from more organizations than
 * Fleetgate caches answers of, so each list is built again.
 */
const SIZES = [
  { objects: 100, fleets: isSmall ? 200 : 1_000, bodies: Infinity },
  { objects: 10_000, fleets: isSmall ? 20 : 100, bodies: isSmall ? 20 : 40, atLeast: 0.5 },
]

pin(process.pid, CLIENT_PROCESSOR)
const figures: Figure[] = []
for (const size of SIZES) figures.push(...(await measure(size)))
report('GET /objects beside raw node:http', figures)

async function measure({ objects, fleets: count, bodies, atLeast }: (typeof SIZES)[number]) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  progress(`${count} organizations with ${objects} objects each`)
  const store = await openStore({ folder: folder.path })
  const fleets = await addFleets(store, count, objects)
  await store.close()
  await using fleetgate = await startFleetgate(folder.path)
  const name = `${objects.toLocaleString('en')} objects`
  const beside = async (
    of: string,
    headers: (fleet: Fleet) => Record<string, string>,
    status: number,
    most: number,
    bar: { atLeast?: number } = {},
  ) => {
    const answer = await captureAnswer(fleetgate.port, PATH, headers(fleets[0]!), status)
    const each = fleets.map((fleet) => getRequest(PATH, headers(fleet)))
    const requests = Array.from({ length: REQUESTS_EACH }, () => each)
      .flat()
      .slice(0, most)
    return besideRaw(fleetgate, folder.path, { name: of, requests, answer, ...bar })
  }
  const tags = await tagsOf(fleetgate, fleets)
  // Figures with a target come first: each burst of 10,000 objects in gzip takes half a minute.
  const unchanged = await beside(
    `${name}, unchanged`,
    (fleet) => ({ ...keyOf(fleet), 'if-none-match': tags.get(fleet)! }),
    304,
    Infinity,
    atLeast === undefined ? {} : { atLeast },
  )
  return [
    ...unchanged,
    ...(await beside(name, keyOf, 200, bodies)),
    ...(await beside(
      `${name}, gzip`,
      (fleet) => ({ ...keyOf(fleet), 'accept-encoding': 'gzip' }),
      200,
      bodies,
    )),
  ]
}

function keyOf({ key }: Fleet): Record<string, string> {
  return { 'x-api-key': key }
}

/** The entity tag of each organization's list. */
async function tagsOf({ port }: ChildServer, fleets: Fleet[]): Promise<Map<Fleet, string>> {
  const tags = new Map<Fleet, string>()
  for (const fleet of fleets) {
    const { headers } = await captureAnswer(port, PATH, keyOf(fleet))
    tags.set(fleet, headers[headers.findIndex((name) => name.toLowerCase() === 'etag') + 1]!)
  }
  return tags
}
