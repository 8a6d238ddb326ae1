import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { EXITED_BY_SIGNAL, hasTerminal } from './stop-signal.ts'

/** The two meanings of SIGHUP. */
export type HangUp = {
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
  process.on('SIGHUP', () => {
    if (isInTerminal && !hasTerminal()) current.closed()
    else current.asked()
  })
  return (meaning) => {
    current = meaning
    if (isAsked) meaning.asked()
  }
}
