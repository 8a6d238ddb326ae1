/** A line that is written anew on a terminal, and nothing at all elsewhere. */
export type PullProgress = {
  show(text: () => string): void
  /** Clears the line for what comes after it. */
  end(): void
}

const EVERY_MS = 200

export function openProgress(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  now: () => number,
): PullProgress {
  if (stream.isTTY !== true) return { show: () => {}, end: () => {} }
  let shown = now()
  return {
    show(text) {
      if (now() - shown < EVERY_MS) return
      shown = now()
      stream.write(`\r\u001b[K${text()}`)
    },
    end() {
      stream.write('\r\u001b[K')
    },
  }
}
