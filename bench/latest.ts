/**
 * Compares `GET /positions/latest` with 1, 100 and 1,000 ids with a bare `node:http` server that sends the same
 * bytes and headers from memory. No organization has a quota, which is the default.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { besideRaw, REQUESTS_EACH } from './beside-raw.ts'
import { captureAnswer } from './captured-answer.ts'
import { startFleetgate } from './child-server.ts'
import { addFleets, type Fleet } from './fleets.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { type Figure, isSmall, progress, report } from './report.ts'
import { getRequest } from './requests.ts'

/** Each request asks for all objects of a fleet of this size. */
const SIZES = [
  { ids: 1, fleets: isSmall ? 500 : 2_000 },
  { ids: 100, fleets: isSmall ? 300 : 1_000, atLeast: 0.35 },
  { ids: 1_000, fleets: isSmall ? 30 : 100 },
]

pin(process.pid, CLIENT_PROCESSOR)
const figures: Figure[] = []
for (const { ids, fleets, ...bar } of SIZES) figures.push(...(await measure(ids, fleets, bar)))
report('GET /positions/latest beside raw node:http', figures)

async function measure(ids: number, count: number, bar: { atLeast?: number }): Promise<Figure[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  progress(`${count} organizations with ${ids} objects each`)
  const store = await openStore({ folder: folder.path })
  const fleets = await addFleets(store, count, ids)
  await store.close()
  await using fleetgate = await startFleetgate(folder.path)
  const [first] = fleets as [Fleet]
  const answer = await captureAnswer(fleetgate.port, pathOf(first), { 'x-api-key': first.key })
  const requests = fleets.map((fleet) => getRequest(pathOf(fleet), { 'x-api-key': fleet.key }))
  return [
    ...(await besideRaw(fleetgate, folder.path, {
      name: `${ids.toLocaleString('en')} ids`,
      requests: Array.from({ length: REQUESTS_EACH }, () => requests).flat(),
      answer,
      ...bar,
    })),
    {
      name: `${ids.toLocaleString('en')} ids, size of the answer`,
      value: Buffer.from(answer.bodyBase64, 'base64').length,
      unit: 'bytes',
    },
  ]
}

function pathOf({ objects }: Fleet): string {
  return `/public/v1/positions/latest?ids=${objects.join()}`
}
