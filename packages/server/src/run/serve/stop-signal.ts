import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { Deployment } from '../compose.ts'
import { EXIT, say } from '../failure.ts'

/** A launcher relays signals that a terminal or a service manager has sent to its child as well. */
const SAME_SIGNAL_MS = 500
const LOOK_FOR_LAUNCHER_MS = 200
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** Plus the signal's number: the exit code that shells have for it. */
const EXITED_BY_SIGNAL = 128

type StopSignal = {
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
      say('stopped at once by a second signal')
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
 * npm and npx start a command by a shell. They pass SIGTERM on to the shell, which dies of it. The command keeps
 * running, and notices it only by its new parent process.
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
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** The two meanings of SIGHUP. */
type HangUp = {
  /** Somebody sent it, such as `systemctl reload`. */
  asked(): void
  /** The terminal on which the server runs was closed. */
  closed(): void
}

/**
 * Listens for SIGHUP from now on. Returns a function to call once the server serves. Until then a closed terminal ends
 * the process, and a request waits. A server whose input and output are elsewhere, as with `nohup`, outlives its
 * terminal: Node does not keep the ignored signal that it inherits.
 */
export function openHangUp(): (meaning: HangUp) => void {
  const isInTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor)) && hasTerminal()
  let isAsked = false
  let current: HangUp = {
    asked() {
      isAsked = true
    },
    closed: () => process.exit(EXITED_BY_SIGNAL + constants.signals.SIGHUP),
  }
  // In place of `bin/fleetgate.js`, which listened while this program was being loaded.
  process.removeAllListeners('SIGHUP').on('SIGHUP', () => {
    if (isInTerminal && !hasTerminal()) current.closed()
    else current.asked()
  })
  return (meaning) => {
    current = meaning
    if (isAsked) meaning.asked()
  }
}

/** Longer than the last writes take. Nothing is in flight any more. */
const CLOSE_MS = 5_000

/** Ends the process soon, even if a frozen database or Redis would keep it from ending. */
export function endInTime({ shared }: Deployment, code: number): void {
  // A data folder always closes, but may have much to write first.
  if (shared === null) return
  setTimeout(() => {
    say('the database or Redis does not answer, and is not waited for')
    process.exit(code)
  }, CLOSE_MS).unref()
}

/** Runs with a signal that SIGINT and SIGTERM abort. Ctrl-C may reach a process twice. */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  process.on('SIGINT', abort)
  process.on('SIGTERM', abort)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', abort)
    process.off('SIGTERM', abort)
  }
}
