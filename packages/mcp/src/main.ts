import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { fleetsOf } from './fleets.ts'
import { serveHttp } from './http.ts'
import { mcpServer } from './mcp-server.ts'
import { helpText, readOptions, UsageError } from './options.ts'

const EXIT_FAILED = 1
const EXIT_WRONG_USE = 2

/** Runs the command until the client closes stdin, or until SIGINT or SIGTERM. Sets the exit code of the process. */
export async function main(program: string, args: string[]): Promise<void> {
  // Every user of the machine can see a command line, and an address may hold a password.
  if (args.some((arg) => arg.includes('://'))) process.title = program
  try {
    await run(program, args)
  } catch (error) {
    process.stderr.write(`${program}: ${(error as Error).message}\n`)
    process.exitCode = error instanceof UsageError ? EXIT_WRONG_USE : EXIT_FAILED
  }
}

async function run(program: string, args: string[]): Promise<void> {
  const options = await readOptions(args, process.env)
  if (options === 'help') {
    process.stdout.write(helpText(program))
    return
  }
  const { url, key, http, maximumGapMs } = options
  const fleets = fleetsOf(url, maximumGapMs)
  if (http === null) {
    const fleet = fleets(key!)
    const handle = serveStdio(() => mcpServer(fleet))
    onStop(() => handle.close())
    return
  }
  const served = await serveHttp({ ...http, key, fleets })
  process.stdout.write(`${JSON.stringify({ mcp: served.url })}\n`)
  onStop(served.close)
}

function onStop(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close())
}
