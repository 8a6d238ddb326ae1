import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../call.ts'
import { objectNotFound, type Refusal } from '../refusal.ts'
import { openPageRoom } from './page-room.ts'
import { answerInRoom } from './whole-answer.ts'

const SIZE = { entries: 30_000, ofOrganization: 30_000 }

/** Answers in all the room of an organization. Returns the answer, and a function that returns the room that is left. */
function inFullRoom(answer: () => Promise<Answer | Refusal>) {
  const room = openPageRoom(SIZE)
  const answered = answerInRoom(room.take(1, SIZE.entries), answer)
  const left = () => {
    const taken = room.take(1, SIZE.entries)
    taken.free()
    return taken.entries
  }
  return { answered, left }
}

async function* pieces(): AsyncGenerator<Buffer> {
  yield Buffer.from('a')
  yield Buffer.from('b')
}

describe('The room of an answer', () => {
  it('is free when a streamed answer has been read', async () => {
    const { answered, left } = inFullRoom(async () => ({ body: pieces() }))
    const { body } = (await answered) as { body: AsyncGenerator<Buffer> }
    await body.next()
    assert.equal(left(), 100)
    assert.equal(String((await body.next()).value), 'b')
    await body.next()
    assert.equal(left(), SIZE.entries)
  })

  it('is free when the client of a streamed answer has gone', async () => {
    const { answered, left } = inFullRoom(async () => ({ body: pieces() }))
    const { body } = (await answered) as { body: AsyncGenerator<Buffer> }
    await body.next()
    await body.return(undefined)
    assert.equal(left(), SIZE.entries)
  })

  it('is free at once when the answer is whole, refused, or fails', async () => {
    for (const answer of [
      async () => ({ body: Buffer.from('a') }),
      async () => objectNotFound,
      () => Promise.reject(new Error('The store is down.')),
    ]) {
      const { answered, left } = inFullRoom(answer)
      await answered.catch(() => undefined)
      assert.equal(left(), SIZE.entries)
    }
  })
})
