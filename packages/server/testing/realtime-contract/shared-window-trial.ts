import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Check, TrialOrder } from './shared-window-trial-worker.ts'

export type WindowRule = { requests: number; spanUs: number }

/** The result of a trial. The last four counts are 0 if the window keeps its promise. */
export type TrialResult = {
  checks: number
  admitted: number
  /** Checks that no server answered. */
  unanswered: number
  /** Half-open spans with more admissions than the rule allows. */
  overfullSpans: number
  /** Refusals although fewer requests were admitted in the span before. */
  undeserved: number
  /** Waits that did not end at the first moment at which a request is admitted. */
  wrongWaits: number
}

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

/** Judges all verdicts by the plain definition of the rule, by organization, in the server's order. */
function judge(checks: readonly Check[], { requests, spanUs }: WindowRule): TrialResult {
  const result: TrialResult = {
    checks: checks.length,
    admitted: 0,
    unanswered: 0,
    overfullSpans: 0,
    undeserved: 0,
    wrongWaits: 0,
  }
  const answered = checks.filter(({ timeUs }) => timeUs !== null)
  result.unanswered = checks.length - answered.length
  for (const ofOne of Map.groupBy(answered, ({ organization }) => organization).values()) {
    // If two verdicts have the same microsecond, the admission came first.
    ofOne.sort((a, b) => a.timeUs! - b.timeUs! || Number(b.admitted) - Number(a.admitted))
    const admissions: number[] = []
    for (const { timeUs, admitted, resetUs } of ofOne) {
      while (admissions.length > 0 && admissions[0]! <= timeUs! - spanUs) admissions.shift()
      if (admitted) {
        result.admitted += 1
        admissions.push(timeUs!)
        if (admissions.length > requests) result.overfullSpans += 1
      } else if (admissions.length < requests) {
        result.undeserved += 1
      }
      // The oldest admission that still counts is the next to make room.
      const freesUs = (admissions.at(-requests) ?? admissions[0]!) + spanUs
      if (timeUs! + resetUs !== freesUs) result.wrongWaits += 1
    }
  }
  return result
}
