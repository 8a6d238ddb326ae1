import type { Command } from 'commander'
import { EXIT, report } from './failure.ts'
import { settleEnvironment } from './location.ts'
import { program } from './program.ts'

/** The command line: parse, dispatch, exit code. */
async function main(given: string[]): Promise<void> {
  const args = withHelpOption(given)
  const fleetgate = await program(args)
  if (args.length === 0) return fleetgate.outputHelp()
  settleEnvironment(fleetgate, process.env)
  await fleetgate.parseAsync(isNamed(fleetgate, args) ? args : withoutHelp(args), { from: 'user' })
}

const HELP = ['--help', '-h']

/** `help key issue` becomes `key issue --help`, because commander reads only one word after `help`. */
function withHelpOption(args: string[]): string[] {
  const [first, ...words] = args
  return first === 'help' && words.length > 0 ? [...words, '--help'] : args
}

/** Commander answers an unknown command of a group with the help of the group, unless it is asked without help. */
function withoutHelp(args: string[]): string[] {
  return args.filter((each) => !HELP.includes(each))
}

/** False if a word of a group is not one of its commands: then nothing runs, with or without help. */
function isNamed(command: Command, [word, ...rest]: string[]): boolean {
  const { commands, registeredArguments } = command
  if (commands.length === 0 || registeredArguments.length > 0) return true
  if (word === undefined || word.startsWith('-')) return true
  const next = commands.find((each) => each.name() === word)
  return next !== undefined && isNamed(next, rest)
}

/** A draining server may write to a terminal that was closed. */
const UNREAD = ['EIO', 'ERR_STREAM_DESTROYED']

// A reader that has seen enough, such as `head`, is not a failure. A server without a reader of its log says so.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (UNREAD.includes(error.code!)) return
  const isEnough = error.code === 'EPIPE' && process.argv[2] !== 'serve'
  process.exit(isEnough ? EXIT.done : report(error))
})
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!UNREAD.includes(error.code!)) process.exit(EXIT.failed)
})
process.on('uncaughtException', (error) => process.exit(report(error)))

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(error)
}
