import { CommanderError } from 'commander'
import { Refused } from '../acts/refused.ts'
import { withoutSecrets } from '../base/access/secret.ts'
import { visible } from '../base/domain/common/plain-text.ts'

/** The exit codes of every command. */
export const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const

/** Wrong use of a command. The message says how to use it. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/**
 * Writes to stderr, in one sentence, why a command ended. Returns its exit code. The stack of an
 * unexpected error is for developers, so it is shown only with FLEETGATE_DEBUG.
 */
export function report(error: unknown): number {
  if (error instanceof CommanderError) return EXIT.done
  say(isBug(error) ? `${sentence(error)} (this is a bug in Fleetgate)` : sentence(error))
  if (process.env.FLEETGATE_DEBUG && error instanceof Error) {
    const cause = error.cause === undefined ? '' : `caused by ${String(error.cause)}\n`
    process.stderr.write(withoutSecrets(`${error.stack}\n${cause}`))
  }
  return isWrongUse(error) ? EXIT.wrongUse : EXIT.failed
}

/** A value that breaks its rule is wrong use, wherever it is checked. */
function isWrongUse(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof Refused && error.status === 400)
}

/** Writes one line to stderr, with the program's name. */
export function say(text: string): void {
  process.stderr.write(`fleetgate: ${harmless(text)}\n`)
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return withoutSecrets(text.trim().replace(/\.$/, '').replaceAll(/\s+/g, ' '))
}

function isBug(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((type) => error instanceof type)
}

/** Makes a text safe for a terminal: one line, with hidden characters made visible. */
export function harmless(text: string): string {
  return visible(text.replaceAll(/[\t\r\n]+/g, ' '))
}
