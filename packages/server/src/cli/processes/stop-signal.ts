import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { EXIT } from '../failure.ts'

/** A launcher relays signals that a terminal or a service manager has sent to its child as well. */
const SAME_SIGNAL_MS = 500
const LOOK_FOR_LAUNCHER_MS = 200
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** Plus the signal's number: the exit code that shells have for it. */
export const EXITED_BY_SIGNAL = 128

export type StopSignal = {
  /** Resolves when the process is asked to stop. A second request stops it at once. */
  asked: Promise<void>
  /** Asks it, for a reason of the caller's. */
  ask(): void
}

/** Listens for what stops a server: SIGTERM, SIGINT, and the end of npm or npx that started it. */
export function openStopSignal(): StopSignal {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  let askedAt: number | undefined

  function ask(): void {
    if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) {
      process.exit(EXIT.failed)
    }
    askedAt ??= performance.now()
    resolve()
  }

  for (const signal of SIGNALS) process.on(signal, ask).off(signal, leave)
  watchLauncher(resolve)
  return { asked, ask }
}

/**
 * Process 1 of a container gets no signal that it does not listen for. With this, one that is still starting ends
 * as any other process does; from `openStopSignal` on it has no effect.
 */
export function leaveWhileStarting(): void {
  if (process.pid === 1) for (const signal of SIGNALS) process.on(signal, leave)
}

function leave(signal: NodeJS.Signals): void {
  process.exit(EXITED_BY_SIGNAL + constants.signals[signal])
}

/**
 * npm and npx start a command by a shell. They pass SIGTERM on to the shell, which dies of it and leaves the
 * command behind: all that tells of it is another parent.
 */
function watchLauncher(ended: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(looking)
    ended()
  }, LOOK_FOR_LAUNCHER_MS).unref()
}

/** Whether this process has a terminal; it loses the one that it was started from when that is closed. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
