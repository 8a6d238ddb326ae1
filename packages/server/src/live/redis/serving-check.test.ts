import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseRedisUrl } from './redis-url.ts'
import { checkForServing } from './serving-check.ts'

for (const [url, expected] of [
  ['redis://127.0.0.1:6379', []],
  ['rediss://192.0.2.1:6379', []],
  ['redis://no-such-host.invalid:6379', []],
  ['redis://192.0.2.1:6379', [/^the connection to Redis at 192\.0\.2\.1 is not encrypted/]],
] as const) {
  it(`${expected.length === 0 ? 'says nothing of' : 'warns of'} ${url}`, async () => {
    const warnings = await checkForServing(parseRedisUrl(url)!)
    assert.equal(warnings.length, expected.length)
    for (const [index, warning] of warnings.entries()) assert.match(warning, expected[index]!)
  })
}
