import { statSync } from 'node:fs'
import { join } from 'node:path'
import { residentBytes } from '../../../bench/processor.ts'
import type { ServerProcess } from '../../acceptance/harness/server.ts'
import { descriptorsOf } from '../clients/watched-process.ts'

const MEGABYTE = 2 ** 20

/** The state of a server at one moment: megabytes, milliseconds. */
export type ServerState = {
  resident: number
  /** Resident memory without the young generation. */
  lasting: number
  /** V8's memory for new objects, whose size V8 chooses. */
  young: number
  heap: number
  external: number
  eventLoopP99: number
  descriptors: number
  /** SQLite's write-ahead log. */
  log: number
}

export async function stateOf({ admin, pid }: ServerProcess, folder: string): Promise<ServerState> {
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  const metric = (name: string) => {
    const value = new RegExp(`^${RegExp.escape(name)} (\\S+)$`, 'm').exec(metrics)?.[1]
    if (value === undefined) throw new Error(`/metrics has no ${name}`)
    return Number(value)
  }
  const young = metric('nodejs_heap_space_size_total_bytes{space="new"}')
  const resident = residentBytes(pid)
  return {
    resident: resident / MEGABYTE,
    lasting: (resident - young) / MEGABYTE,
    young: young / MEGABYTE,
    heap: metric('nodejs_heap_size_used_bytes') / MEGABYTE,
    external: metric('nodejs_external_memory_bytes') / MEGABYTE,
    eventLoopP99: metric('nodejs_eventloop_lag_p99_seconds') * 1000,
    descriptors: descriptorsOf(pid),
    log: statSync(join(folder, 'fleetgate.db-wal')).size / MEGABYTE,
  }
}
