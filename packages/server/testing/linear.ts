import assert from 'node:assert/strict'

/** A long text is compared with this many texts, each shorter by this factor. */
const PIECES = 100
/** Linear work costs the same in both forms; quadratic work costs `PIECES` times as much in one text. */
const MAX_TIMES = 10
/** A system may count processor time in milliseconds. */
const ENOUGH_MS = 20
/** A collection of garbage may fall into one of them. */
const TRIES = 3

/**
 * Checks that a long text costs as much processor time as the same number of characters in short texts. This does
 * not depend on the speed of the machine.
 *
 * @param textOf Returns a text of about this many characters.
 */
export function assertLinear(
  length: number,
  textOf: (length: number) => string,
  read: (text: string) => unknown,
): void {
  const [long, short] = [flat(textOf(length)), flat(textOf(length / PIECES))]
  const readAll = () => {
    for (let i = 0; i < PIECES; i += 1) read(short)
  }
  assertCheap(() => read(long), readAll, MAX_TIMES)
}

/** Checks that one work costs less processor time than this many times another. */
export function assertCheap(work: () => unknown, other: () => unknown, times: number): void {
  other()
  const seen: number[] = []
  do seen.push(timesAsMuch(work, other, times))
  while (seen.at(-1)! >= times && seen.length < TRIES)
  assert.ok(seen.at(-1)! < times, `it costs at least ${seen.join(', ')} times as much`)
}

/** Returns how many times as much the work costs as the other, or `most` or a bit more. */
function timesAsMuch(work: () => unknown, other: () => unknown, most: number): number {
  let [rounds, otherMs, workMs] = [0, 0, 0]
  for (; otherMs < ENOUGH_MS; rounds += 1) otherMs += cpuMs(other)
  for (let i = 0; i < rounds && workMs < otherMs * most; i += 1) workMs += cpuMs(work)
  return workMs / otherMs
}

/** Returns the processor milliseconds that this thread takes for the work. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** A repeated text is a tree of its parts until it is read for the first time. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}
