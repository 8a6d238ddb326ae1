import { AsyncLocalStorage } from 'node:async_hooks'
import { EXIT, report } from '../../src/run/failure.ts'
import { program } from '../../src/run/program.ts'
import { type FinishedProgram, isSetting, ON_TEST_SERVERS, printedBy } from './printed.ts'

type Said = { stdout: string; stderr: string }

const running = new AsyncLocalStorage<Said>()
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a short command in this process, for steps of a test that do not test the command itself. To a
 * server it still looks like another process.
 */
export function runHere(args: string[]): Promise<FinishedProgram> {
  // One at a time: the process's exit code is the only sign of a partial failure.
  const run = last.then(() => runOne(args))
  last = run
  return run
}

/** Runs a command with `--json`, expects success, and returns its output. */
export async function jsonHere(args: string[]) {
  return printedBy(args, await runHere([...args, '--json']))
}

function runOne(args: string[]): Promise<FinishedProgram> {
  const said: Said = { stdout: '', stderr: '' }
  return running.run(said, async () => {
    // Save the test's own exit code: an earlier failure may have set it.
    const { exitCode } = process
    process.exitCode = undefined
    let code: number
    try {
      await (await program(args)).parseAsync(args, { from: 'user' })
      code = Number(process.exitCode ?? EXIT.done)
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
