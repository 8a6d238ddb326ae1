import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { endedOf, startProgram } from './fleetgate.ts'

describe('A test that fails', () => {
  let printed: string
  before(async () => {
    const fixture = join(import.meta.dirname, 'failing.fixture.ts')
    const { stdout } = await endedOf(startProgram([process.execPath, '--test', fixture]))
    printed = stdout
  })

  it('prints the statement that it is about', () => {
    assert.match(printed, /The statement: The list > has no rows/)
  })

  it('prints its request with the answer: status, headers that matter, and the start of the body', () => {
    const [, exchange] = /(GET \/objects.*?… \(1\d+ bytes\))/s.exec(printed)!
    const [asked, ...headers] = exchange!.split('\n').map((line) => line.trim())
    assert.equal(asked, 'GET /objects?limit=2&key=fg_live_… -> 200')
    assert.deepEqual(headers.slice(0, -1), [
      'content-type: application/json',
      'x-ratelimit-remaining: 9',
    ])
    assert.match(headers.at(-1)!, /^\{"key":"fg_live_…","rows":"y{300,400}…/)
  })

  it('prints no request of another test, and no key', () => {
    assert.doesNotMatch(printed, /GET \/passed|fg_live_x/)
  })
})
