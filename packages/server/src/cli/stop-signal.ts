import { EXIT } from './failure.ts'

/** A launcher relays signals that a terminal or a service manager has sent to its child as well. */
const SAME_SIGNAL_MS = 500

/** Resolves when the process is asked to stop. A second request stops it at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) {
          process.exit(EXIT.failed)
        }
        askedAt ??= performance.now()
        resolve()
      })
    }
  })
}
