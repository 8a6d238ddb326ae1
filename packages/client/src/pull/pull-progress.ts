/** A line that is rewritten on a terminal. Without a terminal nothing is shown. */
export type PullProgress = {
  show(text: () => string): void
  /** Clears the line for later output. */
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
