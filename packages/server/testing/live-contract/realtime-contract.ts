import { type OpenRealtime, testsOn } from './fixture.ts'
import { quotaContract } from './quota.ts'
import { requestContract } from './request.ts'
import { snapshotContract } from './snapshots.ts'
import { streamContract } from './streams.ts'
import { windowContract } from './window.ts'

export type { OpenedRealtime, OpenRealtime } from './fixture.ts'

/** The tests that every adapter of the realtime port must pass. */
export function realtimeContract(name: string, open: OpenRealtime): void {
  const it = testsOn(open)
  windowContract(name, it)
  quotaContract(name, it)
  requestContract(name, it)
  snapshotContract(name, it)
  streamContract(name, it)
}
