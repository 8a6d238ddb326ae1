import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TrialOrder } from './shared-window-trial-worker.ts'
import { type Check, judge, type TrialResult, type WindowRule } from './window-verdicts.ts'

/**
 * Sends requests of many organizations from several processes at once, in seeded bursts and pauses. Judges all
 * verdicts together by the server's own times.
 */
export async function trySharedWindow(
  orders: readonly TrialOrder[],
  rule: WindowRule,
): Promise<TrialResult> {
  const workers = orders.map((order) => startWorker(order))
  const checks = (await Promise.all(workers)).flat()
  return judge(checks, rule)
}

async function startWorker(order: TrialOrder): Promise<Check[]> {
  const program = join(import.meta.dirname, 'shared-window-trial-worker.ts')
  const worker: ChildProcess = fork(program, { serialization: 'advanced' })
  const ended = once(worker, 'exit')
  worker.send(order)
  const reply = await Promise.race([once(worker, 'message'), ended.then(() => undefined)])
  await ended
  if (reply === undefined) throw new Error('A process of the trial has failed.')
  return reply[0] as Check[]
}
