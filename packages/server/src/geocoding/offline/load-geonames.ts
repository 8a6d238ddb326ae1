import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openPlaceIndex, type PlaceIndex } from './place-index.ts'

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
