import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharedWork } from './shared-work.ts'

/** Work that finishes when the test says so, and with what happened to it. */
function begin() {
  const seen: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = sharedWork(
    (abandoned) => {
      abandoned.addEventListener('abort', () => {
        seen.push('abandoned')
        reject(abandoned.reason)
      })
      return promise
    },
    () => seen.push('forgotten'),
  )
  return { work, seen, finish: () => resolve('done') }
}

describe('Shared work', () => {
  it('serves the callers who stay, and rejects at once for one who goes', async () => {
    const { work, seen, finish } = begin()
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const [left, stayed] = [work.wait(leaving.signal), work.wait(staying.signal)]
    leaving.abort(new Error('gone'))
    await assert.rejects(left, { message: 'gone' })
    finish()
    assert.equal(await stayed, 'done')
    assert.deepEqual(seen, [])
  })

  it('is forgotten, then abandoned, when the last caller goes', async () => {
    const { work, seen } = begin()
    const both = [new AbortController(), new AbortController()]
    const waits = both.map(({ signal }) => assert.rejects(work.wait(signal), { message: 'gone' }))
    for (const each of both) each.abort(new Error('gone'))
    await Promise.all(waits)
    await assert.rejects(work.result, { message: 'gone' })
    assert.deepEqual(seen, ['forgotten', 'abandoned'])
  })

  it('keeps its result for later callers, although one of them has gone', async () => {
    const { work, seen, finish } = begin()
    finish()
    const gone = AbortSignal.abort(new Error('gone'))
    await work.result
    await assert.rejects(work.wait(gone), { message: 'gone' })
    assert.equal(await work.wait(new AbortController().signal), 'done')
    assert.deepEqual(seen, [])
  })
})
