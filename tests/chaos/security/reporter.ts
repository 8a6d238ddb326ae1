import type { TestEvent } from 'node:test/reporters'

/** The result of a test or a group of tests, as one line of JSON. */
export type Outcome = { file: string; name: string; passed: boolean; skipped: string | null }

/** A reporter for `node --test --test-reporter`. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { file = '', name, skip } = data
    const skipped = skip === undefined || skip === false ? null : String(skip)
    yield `${JSON.stringify({ file, name, passed: type === 'test:pass', skipped })}\n`
  }
}
