import { AsyncLocalStorage } from 'node:async_hooks'
import { settleEnvironment } from './environment.ts'
import { EXIT, report } from './failure.ts'
import { program } from './program.ts'
import type { Ended } from './spawned.ts'

type Said = { stdout: string; stderr: string }

const running = new AsyncLocalStorage<Said>()

/**
 * Runs a short command to its end in this process, which takes a fifth of starting another: for what a
 * test needs to be done and does not look at. To the server it is another process all the same.
 */
export function runHere(args: string[]): Promise<Ended> {
  const said: Said = { stdout: '', stderr: '' }
  return running.run(said, async () => {
    let code: number = EXIT.done
    try {
      const fleetgate = program()
      settleEnvironment(fleetgate, {})
      await fleetgate.parseAsync(args, { from: 'user' })
    } catch (error) {
      code = report(error)
    }
    // A command that has done part of what it was asked.
    if (process.exitCode === EXIT.failed) code = EXIT.failed
    process.exitCode = undefined
    return { code, ...said }
  })
}

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
