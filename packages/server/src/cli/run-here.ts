import { AsyncLocalStorage } from 'node:async_hooks'
import { EXIT, report } from './failure.ts'
import { isSetting, ON_TEST_SERVERS } from './inherited.ts'
import { type Ended, printedBy } from './printed.ts'
import { program } from './program.ts'

type Said = { stdout: string; stderr: string }

const running = new AsyncLocalStorage<Said>()
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a short command to its end in this process, which spares starting another: for what a test needs
 * to be done and does not look at. To a server it is another process all the same.
 */
export function runHere(args: string[]): Promise<Ended> {
  // One at a time: that one has failed in part is told by its process's exit code alone.
  const run = last.then(() => runOne(args))
  last = run
  return run
}

/** Runs the command with `--json`, expects it to succeed, and returns what it printed. */
export async function jsonHere(args: string[]) {
  return printedBy(args, await runHere([...args, '--json']))
}

function runOne(args: string[]): Promise<Ended> {
  const said: Said = { stdout: '', stderr: '' }
  return running.run(said, async () => {
    // The test's own: of an earlier test that failed, it may say so.
    const { exitCode } = process
    process.exitCode = undefined
    let code: number = EXIT.done
    try {
      await program().parseAsync(args, { from: 'user' })
      if (process.exitCode !== undefined) code = EXIT.failed
    } catch (error) {
      code = report(error)
    }
    process.exitCode = exitCode
    return { code, ...said }
  })
}

for (const name of Object.keys(process.env)) if (isSetting(name)) delete process.env[name]
Object.assign(process.env, ON_TEST_SERVERS)

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name]
  const write = stream.write.bind(stream) as typeof stream.write
  stream.write = ((...written: Parameters<typeof write>) => {
    const said = running.getStore()
    if (said === undefined || typeof written[0] !== 'string') return write(...written)
    said[name] += written[0]
    return true
  }) as typeof write
}
