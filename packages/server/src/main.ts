import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Reading the source is most of what a short command does, so it is kept compiled; beside the
// source, where only those who may write that may write it, and not at all where nobody may.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))

const { EXIT, report } = await import('./cli/failure.ts')
const { settleEnvironment } = await import('./cli/environment.ts')
const { program } = await import('./cli/program.ts')

/** The command line: parse, dispatch, exit code. */
async function main(args: string[]): Promise<void> {
  const fleetgate = program()
  if (args.length === 0) return fleetgate.outputHelp()
  settleEnvironment(fleetgate, process.env)
  await fleetgate.parseAsync(args, { from: 'user' })
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : report(error))
})
process.on('uncaughtException', (error) => process.exit(report(error)))

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(error)
}
