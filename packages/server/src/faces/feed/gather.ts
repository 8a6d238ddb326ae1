import { addAll } from '../../base/domain/common/any-number.ts'
import type { AppendOutcome, NewFix } from '../../engine/tracking/fold-tables.ts'

/** Stores fixes durably. */
export type Append = (fixes: NewFix[]) => Promise<AppendOutcome[]>

/** Small requests are appended together, up to about this many fixes, to share the fixed cost. */
const MAX_FIXES = 200

/**
 * The most fixes of one request that are in flight to the disk. The store writes in the order of
 * calls, so another organization waits for this many rows of each request, not for all 10,000.
 */
const MAX_AT_ONCE = 500

type Waiting = {
  fixes: NewFix[]
  resolve(outcomes: AppendOutcome[]): void
  reject(error: unknown): void
}

/**
 * Appends one organization's fixes, at most `size` of a request at once. While some are in flight to
 * the disk, others wait and are then written together: on the disk a single packet costs as much as a
 * hundred. Larger batches go in slices, several at once.
 */
export function gather(append: Append, size: number): Append {
  let waiting: Waiting[] = []
  let fixes = 0
  let underWay = 0

  function flush(): void {
    const together = waiting
    waiting = []
    fixes = 0
    underWay += 1
    append(together.flatMap((each) => each.fixes))
      .then(
        (outcomes) => {
          let from = 0
          for (const each of together) {
            each.resolve(outcomes.slice(from, from + each.fixes.length))
            from += each.fixes.length
          }
        },
        (error) => {
          for (const each of together) each.reject(error)
        },
      )
      .finally(() => {
        underWay -= 1
        if (waiting.length > 0 && underWay === 0) flush()
      })
  }

  function add(slice: NewFix[]): Promise<AppendOutcome[]> {
    return new Promise((resolve, reject) => {
      waiting.push({ fixes: slice, resolve, reject })
      fixes += slice.length
      if (slice.length === size || fixes >= MAX_FIXES || underWay === 0) flush()
    })
  }

  async function addSlices(all: NewFix[]): Promise<AppendOutcome[]> {
    const slices: Promise<AppendOutcome[]>[] = []
    for (let from = 0; from < all.length; from += size)
      slices.push(add(all.slice(from, from + size)))
    return (await Promise.all(slices)).flat()
  }

  return async (all) => {
    if (all.length <= size) return add(all)
    const most = Math.max(size, MAX_AT_ONCE)
    const outcomes: AppendOutcome[] = []
    for (let from = 0; from < all.length; from += most) {
      addAll(outcomes, await addSlices(all.slice(from, from + most)))
    }
    return outcomes
  }
}
