import type { TestEvent } from 'node:test/reporters'

/** What became of a test or a group of tests: a line of JSON each. */
export type Outcome = { file: string; name: string; passed: boolean; skipped: string | null }

/** For `node --test --test-reporter`. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { file = '', name, skip } = data
    const skipped = skip === undefined || skip === false ? null : String(skip)
    yield `${JSON.stringify({ file, name, passed: type === 'test:pass', skipped })}\n`
  }
}
