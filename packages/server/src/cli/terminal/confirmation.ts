import { createInterface } from 'node:readline/promises'
import type { Option } from 'commander'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'

export function yesOption(): Option {
  return option('--yes', 'do not ask')
}

/**
 * Asks at the terminal whether to go on. Without a terminal `--yes` is required. The question goes to
 * stderr, because stdout is for the answer.
 */
export async function confirm(what: string, options: { yes?: boolean }): Promise<void> {
  if (options.yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${what}; add --yes to do it, as there is no terminal to ask at`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const reply = await terminal.question(`${what}. Continue? [y/N] `)
    if (!/^y(es)?$/i.test(reply.trim())) throw new Error('nothing was deleted')
  } finally {
    terminal.close()
  }
}
