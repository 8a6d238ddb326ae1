import { createReadStream, mkdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Json } from '../harness/fleetgate.ts'
import type { Driven } from './imported-drive.ts'

/** Lines of an NDJSON file, as what a drive is known by. */
export async function* drivenIn(file: string): AsyncGenerator<Driven> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { time_device, latitude, longitude }: Json = JSON.parse(line)
    yield { time_device, latitude, longitude }
  }
}

/** Resolves when a pull into the folder has made sure of more than so many rows of the file; with how many. */
export function untilKept(folder: string, file: string, moreThan: number): Promise<number> {
  const states = join(folder, '.pull')
  mkdirSync(states, { recursive: true })
  return new Promise((resolve, reject) => {
    const watcher = watch(states, () => {
      const rows = keptRows(folder, file)
      if (rows <= moreThan) return
      watcher.close()
      resolve(rows)
    })
    watcher.once('error', reject)
  })
}

/** What the next run will know to be in the file. */
export function keptRows(folder: string, file: string): number {
  try {
    return JSON.parse(readFileSync(join(folder, '.pull', `${file}.json`), 'utf8')).rows
  } catch {
    return 0
  }
}
