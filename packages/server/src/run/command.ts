import { userInfo } from 'node:os'
import { Command, type CommanderError, Option } from 'commander'
import { toJson } from '../base/domain/common/plain-json.ts'
import { systemClock } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'
import { EXIT, say, UsageError } from './failure.ts'
import {
  allowDataLossOption,
  databaseOption,
  environmentName,
  type LocationOptions,
  locationOf,
} from './location.ts'

/** The options of every command. */
export type SharedOptions = LocationOptions & { json?: boolean }

/** A command's output in both forms. A `failure` also goes to stderr, with exit code 1. */
export type CommandResult = {
  /** The JSON object or array of `--json`. */
  json: object
  text: string
  failure?: string
}

/** A command that does something. Examples are command lines without `fleetgate`. */
export function command(name: string, description: string, examples: string[]): Command {
  return placelessCommand(name, description, examples)
    .addOption(option('--data <dir>', 'the data folder').default('./data'))
    .addOption(databaseOption())
    .addOption(allowDataLossOption())
}

/** A command that finds its data by its own options. */
export function placelessCommand(name: string, description: string, examples: string[]): Command {
  return quiet(new Command(name))
    .description(description)
    .addOption(option('--json', 'print one JSON object or array, and nothing else, on stdout'))
    .addHelpText(
      'after',
      `\nExamples:\n${examples.map((line) => `  fleetgate ${line}\n`).join('')}`,
    )
}

/** A command that only holds other commands. */
export function group(name: string, description: string, commands: Command[]): Command {
  const holder = quiet(new Command(name)).description(description).usage('<command> [options]')
  for (const each of commands) holder.addCommand(each)
  return holder
}

/** An option. Its environment variable counts if the command line does not have it. */
export function option(flags: string, description: string): Option {
  const made = new Option(flags, description)
  return made.env(environmentName(made.long ?? flags))
}

/**
 * Runs an action on the store: opens it, prints the answer, closes it. The audit log gets the changes. A
 * missing data folder is created only where that is the purpose, so that a mistyped path is not taken for
 * an empty folder.
 */
export function onStore<Options>(
  action: (
    store: Store,
    options: Options & SharedOptions,
    ...args: never[]
  ) => Promise<CommandResult>,
  absent: 'refuse' | 'create' = 'refuse',
): (...args: unknown[]) => Promise<void> {
  return async (...received) => {
    const options = received.at(-2) as Options & SharedOptions
    const args = received.slice(0, -2) as never[]
    const location = locationOf(received.at(-1) as Command)
    // Loaded on demand: the help needs no store.
    const { hasStore, openStore } = await import('./compose.ts')
    const { auditedStore } = await import('../acts/audit/audited-store.ts')
    if (absent === 'refuse' && 'folder' in location && !hasStore(location.folder)) {
      throw noDataIn(location.folder)
    }
    const store = await openStore(location)
    try {
      const audited = auditedStore(store, commandLineActor(), systemClock)
      print(await action(audited, options, ...args), options.json === true)
    } finally {
      await store.close()
    }
  }
}

export function noDataIn(folder: string): Error {
  return new Error(
    `there is no Fleetgate data in '${folder}'; set its folder with --data, or create one with 'fleetgate org create'`,
  )
}

export function print(answer: CommandResult, asJson: boolean): void {
  process.stdout.write(`${asJson ? toJson(answer.json) : answer.text}\n`)
  if (answer.failure === undefined) return
  say(answer.failure)
  process.exitCode = EXIT.failed
}

/** `report` writes all errors to stderr, in one form. */
export function quiet(made: Command): Command {
  return made
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .exitOverride((error) => {
      throw wrongUse(made, error)
    })
}

/**
 * Turns commander's error into one sentence that says what would be right. Commander's own texts are
 * several sentences or lines, and do not name the command.
 */
export function wrongUse(command: Command, error: CommanderError): Error {
  // Commander also throws for --help and --version.
  if (error.exitCode === EXIT.done) return error
  if (error.code === 'commander.help') {
    const names = command.commands.map((each) => each.name()).join(', ')
    return new UsageError(`'${pathOf(command)}' requires a command: ${names}`)
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

/** The actor in the audit log for changes by commands, with the user of the operating system. */
export function commandLineActor(): string {
  return `command line, user ${userName()}`
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}
