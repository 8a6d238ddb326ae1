import { openOtherProcess } from './other-process.ts'
import type { HistoryAnswer, HistoryRequest } from './read-history.ts'

/** A process that reads histories, so that counting their rows does not delay the timed requests. */
export type HistoryReader = AsyncDisposable & {
  read(request: HistoryRequest): Promise<HistoryAnswer>
}

/**
 * A thread would not do: a thread of low priority that waits while it holds the process's memory lock delays the
 * timing thread.
 */
export function openHistoryReader(processor: number): HistoryReader {
  const reader = openOtherProcess('reading-process.ts', processor)
  return {
    read(request) {
      reader.send(request)
      return reader.answer()
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
