import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// strace may be installed and yet lack permission to trace, as in a container.
const canTrace = spawnSync('strace', ['-e', 'trace=fsync', 'true']).status === 0

/** The reason to skip a test that traces; false if it can run. */
export const tracingIsMissing = canTrace ? false : 'strace is not installed, or may not trace'

export const LOG_WRITE = /^pwrite64\(\d+<[^>]*fleetgate\.db-wal>/
export const LOG_SYNC = /^(fsync|fdatasync)\(\d+<[^>]*fleetgate\.db-wal>\)\s+= 0$/

/** Start and end of a call, in seconds. */
export type Call = { text: string; began: number; ended: number }

/** The calls in the files that `strace -ff -ttt -T` wrote for each thread, ordered by start. */
export function callsIn(folder: string): Call[] {
  const threads = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const lines = threads.flatMap((thread) => thread.split('\n'))
  const calls = lines.flatMap((line) => {
    const [, began, text, took] = /^(\d+\.\d+) (.*) <(\d+\.\d+)>$/.exec(line) ?? []
    if (began === undefined) return []
    return [{ text: text!, began: Number(began), ended: Number(began) + Number(took) }]
  })
  return calls.sort((a, b) => a.began - b.began)
}
