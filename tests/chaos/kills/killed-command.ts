import { once } from 'node:events'
import { start } from '../../acceptance/harness/fleetgate.ts'

/** Starts a command and kills it when `moment` resolves. Returns whether the command was still running then. */
export async function killedCommand(args: string[], moment: () => Promise<void>): Promise<boolean> {
  const child = start(args)
  child.stdin.end()
  child.stdout.resume()
  child.stderr.resume()
  const ended = once(child, 'exit')
  await Promise.race([ended, moment()])
  child.kill('SIGKILL')
  const [, signal] = await ended
  return signal === 'SIGKILL'
}
