import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newLink, open } from './shared-fleet.ts'

it('a link has 60 reads in 10 s of its own, and HEAD does not count', async () => {
  const [{ path }, other] = [await newLink(), await newLink()]
  for (let read = 0; read < 60; read += 1) {
    const { status, headers } = await open(`${path}.json`)
    assert.deepEqual([status, headers['x-ratelimit-remaining']], [200, String(59 - read)])
  }
  const { status, headers } = await open(`${path}.json`)
  assert.equal(status, 429)
  assert.ok(Number(headers['retry-after']) <= 10)
  assert.equal((await open(`${path}.json`, {}, 'HEAD')).status, 200)
  assert.equal((await open(path)).status, 200)
  assert.equal((await open(`${other.path}.json`)).status, 200)
})
