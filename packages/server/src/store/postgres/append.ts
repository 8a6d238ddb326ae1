import { takeBatch } from '../folding/take-batch.ts'
import type { FindTracked } from '../folding/tracked.ts'
import { inTurn } from '../folding/work.ts'
import type { NewFix, PositionStore } from '../store.ts'
import { foldBuffer } from './fold-buffer.ts'
import type { TrackedObjects } from './tracked.ts'

/** Objects whose late fixes are read together. */
const AHEAD = 5_000

/** A transaction costs as much as 100 fixes in it, and the process mostly waits meanwhile. */
export const APPEND_SIZE = 200

export function appender(tracked: TrackedObjects): PositionStore['append'] {
  return async (organization, batch, tracking) => {
    const objects = batch.map(({ object }) => object)
    const outcomes = await tracked.write(organization, objects, async (write) => {
      const buffer = foldBuffer(write)
      await buffer.positions.readAhead(lateMoments(batch, write.find))
      const taking = takeBatch(buffer, write.find, batch, write.change, tracking)
      const { outcomes, touched } = await inTurn(taking)
      await buffer.flush()
      write.save(touched)
      return outcomes
    })
    return outcomes ?? batch.map(() => 'unknown_object')
  }
}

/** For each object with late fixes, the time of the first one. */
function lateMoments(batch: readonly NewFix[], find: FindTracked): Map<number, number> {
  const moments = new Map<number, number>()
  for (const { object, fix } of batch) {
    const newest = find(object)?.state.track?.at
    if (newest === undefined || fix.timeDevice > newest) continue
    const first = moments.get(object)
    if (first === undefined && moments.size === AHEAD) continue
    moments.set(object, Math.min(fix.timeDevice, first ?? fix.timeDevice))
  }
  return moments
}
