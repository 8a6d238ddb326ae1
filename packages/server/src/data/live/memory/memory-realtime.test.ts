import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handedClock } from '../../../../testing/handed-clock.ts'
import {
  type OpenedRealtime,
  realtimeContract,
} from '../../../../testing/live-contract/realtime-contract.ts'
import type { Realtime } from '../realtime.ts'
import { openMemoryRealtime } from './memory-realtime.ts'

realtimeContract('one process', async (): Promise<OpenedRealtime> => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-realtime-'))
  const clock = handedClock()
  const opened: Realtime[] = []
  const open = () => {
    const realtime = openMemoryRealtime(folder, clock)
    opened.push(realtime)
    return realtime
  }
  return {
    realtime: open(),
    advanceUs: clock.advanceUs,
    // The previous one is left open: a killed process closes nothing.
    restart: async () => open(),
    async cleanUp() {
      for (const realtime of opened) await realtime.close()
      await rm(folder, { recursive: true })
    },
  }
})
