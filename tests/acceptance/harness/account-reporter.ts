/**
 * A reporter of a test file that runs as a program: one line of JSON about what its tests cost. It runs
 * in the process of the tests, so what that process has used since the last test belongs to the file of the test.
 */
import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { countStarts, secondsUsed } from './account.ts'

/** Characters of the text of an error: enough for the seed of a property. */
const SHOWN = 200

const starts = countStarts()

export default async function* account(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds: Record<string, number> = {}
  const skipped: Record<string, number> = {}
  const tests = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  // Loading belongs to no file.
  let before = secondsUsed()
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { file = '', skip, details } = event.data
    const now = secondsUsed()
    seconds[file] = (seconds[file] ?? 0) + now - before
    before = now
    if (event.type === 'test:fail') failures.push(...failureOf(event.data))
    // A skipped suite says so for its tests, which do not run.
    if (skip !== undefined) {
      tests.skipped += 1
      const reason = `${skip}`
      skipped[reason] = (skipped[reason] ?? 0) + 1
    } else if (details.type === 'suite') continue
    else if (event.type === 'test:pass') tests.passed += 1
    else tests.failed += 1
  }
  const total = secondsUsed()
  yield `${JSON.stringify({ seconds, skipped, tests, failures, starts: starts(), total })}\n`
}

/** None for a suite that failed by its tests. */
function failureOf({ name, details }: EventData.TestFail): string[] {
  // It wraps the error that the test has thrown.
  const { cause, failureType, message } = details.error as Error & { failureType?: string }
  if (failureType === 'subtestsFailed') return []
  const thrown = cause instanceof Error ? cause.message : message
  return [`${name}: ${thrown.replaceAll(/\s+/g, ' ').slice(0, SHOWN)}`]
}
