import type { Command, CommanderError } from 'commander'
import { EXIT, UsageError } from './failure.ts'

/**
 * Turns commander's error into one sentence that says what would be right. Commander's own texts are
 * several sentences or lines, and do not name the command.
 */
export function wrongUse(command: Command, error: CommanderError): Error {
  // Commander also throws for --help and --version.
  if (error.exitCode === EXIT.done) return error
  if (error.code === 'commander.help') {
    const names = command.commands.map((each) => each.name()).join(', ')
    return new UsageError(`'${pathOf(command)}' needs one of its commands: ${names}`)
  }
  const text = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
    .replace(/ Allowed choices are /, ' it must be one of ')
    .replace(/ is invalid( for argument '.*?')?\. /, ' is invalid$1: ')
    .replace(/\. Expected (\d+) arguments?/, ': it takes $1')
    .replace(/\.$/, '')
  return new UsageError(text.endsWith('?') ? text : `${text}; see '${pathOf(command)} --help'`)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
