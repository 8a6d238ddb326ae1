import type { Stored } from './stored.ts'

/** The next entry of a run. `order`: the run's place among the others. */
type Head = { blocks: Iterator<Stored[]>; block: Stored[]; at: number; order: number; id: number }

/**
 * All entries of runs by object, and those of an object in the order of the runs. Each run is by object itself.
 * Only one block of each run is in memory.
 */
export function* mergedRuns(runs: readonly Iterator<Stored[]>[]): Generator<Stored> {
  const heap: Head[] = []
  for (const [order, blocks] of runs.entries()) {
    const head: Head = { blocks, block: [], at: 0, order, id: 0 }
    if (hasNext(head)) heap.push(head)
  }
  // Heads with ascending keys are a heap already.
  heap.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  while (heap.length > 0) {
    const head = heap[0]!
    const { id } = head
    let isOver = false
    do {
      yield head.block[head.at++]!
      isOver = !hasNext(head)
    } while (!isOver && head.id === id)
    if (isOver) {
      const last = heap.pop()!
      if (heap.length === 0) return
      if (last !== head) heap[0] = last
    }
    sink(heap)
  }
}

/** Moves to the next block where that is necessary. */
function hasNext(head: Head): boolean {
  while (head.at === head.block.length) {
    const { done, value } = head.blocks.next()
    if (done) return false
    head.block = value
    head.at = 0
  }
  head.id = head.block[head.at]!.id
  return true
}

function isBefore(a: Head, b: Head): boolean {
  return a.id < b.id || (a.id === b.id && a.order < b.order)
}

/** Moves the first head down to its place. */
function sink(heap: Head[]): void {
  const head = heap[0]!
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (!isBefore(heap[child]!, head)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = head
}
